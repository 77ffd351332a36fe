"""Unit tests of the tools: one module for the environment in the folder above.

Expected values come from the rows, read with SQL that the tools do not use, and from what the tools are meant to do.
Every test gets a fresh World.
"""

import pytest
import tools

from envforge.world.api import ToolError
from envforge.world.testing import changes


def _all_pages(tool, world, first, cursor, /, **arguments):
    """The items of all pages, from the first one on."""
    items, page = list(first["items"]), first
    while page["next_cursor"] is not None:
        page = tool(world, **arguments, **{cursor: page["next_cursor"]})
        items += page["items"]
    return items


def _changed(before, after):
    """The columns that differ, with their new values."""
    return {name: after[name] for name in before if before[name] != after[name]}


def _columns(row, *names, flags=()):
    """Columns of a row as results show them: flags are true or false."""
    return {name: row[name] if name not in flags or row[name] is None else row[name] == 1 for name in names}


def _counts(made):
    """table -> how many rows were inserted, updated and deleted."""
    return {table: tuple(len(made[table][kind]) for kind in ("inserted", "updated", "deleted")) for table in made}


def test_query_data_source__with_filter_and_sorts(world):
    """With data_source_id, filter and sorts: 165 rows fit."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={
            "or": [
                {"property": "Task", "does_not_equal": "Model the rear battery shell"},
                {"property": "Due", "past_week": True},
            ],
        },
        sorts=[{"property": "Task", "direction": "ascending"}],
    )
    assert [item["id"] for item in page["items"]] == [
        "4dd45379-eb16-4abd-a264-10dcd6210d3d", "2942f0f4-d101-4c13-ba20-19f2c228611f",
        "9e83e75e-9b2c-425d-8625-13b53af063fa", "31bd33c4-8227-4884-bd0e-f803e64853b7",
        "6f91e50f-bfac-4097-b64a-42d111dfac38", "15c42cd6-fdaa-491d-9d1f-dca31ddb1766",
        "a7667583-2326-42ab-964a-893f7ed9807f", "0f5b0d32-97c1-4bff-8e9b-cd381430f5db",
        "156a735c-124a-441c-b3d1-eb2e77674e9c", "f0a08e17-07b0-4b19-8751-b87ef776e0ab",
        "607bd1cc-6275-4b87-971b-660434ac3794", "36f28add-76a5-491e-93f6-8cec9cc4ae9e",
        "88617e66-de93-4e5a-b4d2-e7fec67c106d", "c3428043-5190-4101-b08e-28c5645f1a42",
        "39066b27-6bbd-4ae4-a6ed-0d6ca21b2342", "17ba7994-196d-43ed-a614-ed392f5e79c8",
        "737b33ea-19e5-45f2-8deb-3008846e9183", "190717fc-f9da-4529-9534-564a371cb7e9",
        "af561aec-ff86-4099-8d49-7573594a7834", "0e25d5a9-720a-486c-b410-f9501fd70f65",
    ]
    assert page["items"][0] == {
        "id": "4dd45379-eb16-4abd-a264-10dcd6210d3d",
        "title": "Agree the count sheet with bookkeeping",
        "created_time": "2024-06-13T11:56:52Z",
        "last_edited_time": "2024-07-09T14:16:35Z",
        "is_archived": False,
        "properties": {
            "Task": "Agree the count sheet with bookkeeping",
            "Status": "Done",
            "Assignee": ["9578c2ad-5788-4597-8d2d-423469583304"],
            "Part of": ["6775880b-dce8-465f-933b-9ff18e88b047"],
            "Due": "2024-07-01",
            "Done on": "2024-07-09",
            "Priority": "Normal",
            "Estimate (h)": 2.0,
            "Waiting for": None,
            "Labels": ["paperwork"],
        },
    }
    assert page["items"][-1] == {
        "id": "0e25d5a9-720a-486c-b410-f9501fd70f65",
        "title": "Calibrate the scale at goods in",
        "created_time": "2025-03-03T14:09:25Z",
        "last_edited_time": "2025-03-06T10:54:36Z",
        "is_archived": False,
        "properties": {
            "Task": "Calibrate the scale at goods in",
            "Status": "Blocked",
            "Assignee": ["72132a2a-06e1-4f43-91d2-c3d3c8f9350f"],
            "Part of": [],
            "Due": "2025-03-19",
            "Done on": None,
            "Priority": "High",
            "Estimate (h)": 1.0,
            "Waiting for": "A decision in the weekly",
            "Labels": ["quick win"],
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__success(world):
    """With data_source_id: 15 rows fit."""
    page = tools.query_data_source(world, data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af")
    assert [item["id"] for item in page["items"]] == [
        "03af367d-c68c-43a5-a409-a2cf3bddb8c1", "0c47d26d-e395-4c99-8143-fd7d55ca2edd",
        "17c5aa80-fc61-453d-af27-b743a8c0e0ba", "320c5769-4aa0-4128-b6e6-d89c49996e75",
        "56877fcd-bba8-4005-96f7-0587609bba6b", "6775880b-dce8-465f-933b-9ff18e88b047",
        "6b05a191-896a-4c66-9de7-83882cd5080c", "7d39f6b7-e227-471d-970b-0bb8cd705036",
        "9fb805f9-6caf-451f-9c37-ddf20237e84d", "aa8758d9-cd0b-45c3-824e-8ac1d03d7a31",
        "b15cc3dc-751b-483a-aa36-1c35575a9b30", "b344f591-9ebd-4aab-a4a9-3f266a0f5a36",
        "bd282f6e-9b69-4d03-9dd3-38ed672c18c7", "d9b5eab8-20dd-4e2c-b848-98f9e97ce56d",
        "f9b34557-7dc5-4a45-819d-62f7f33e49b6",
    ]
    assert page["items"][0] == {
        "id": "03af367d-c68c-43a5-a409-a2cf3bddb8c1",
        "title": "Payroll and holidays in one tool",
        "created_time": "2024-09-06T16:10:47Z",
        "last_edited_time": "2025-03-04T11:51:18Z",
        "is_archived": False,
        "properties": {
            "Project": "Payroll and holidays in one tool",
            "Stage": "Active",
            "Lead": ["8ecda911-4954-421e-8894-b9afa94f73df"],
            "Run by": "Company",
            "Kick-off": "2024-09-11",
            "Target date": "2025-04-03",
            "Shipped on": None,
            "Budget (GBP)": 800.0,
            "Goal": "Holidays, sick days and payroll agree without anyone copying numbers at the end of the month.",
            "Drive folder": "https://files.brackwater.example/projects/payroll-and-holidays-in-one-tool",
        },
    }
    assert page["items"][-1] == {
        "id": "f9b34557-7dc5-4a45-819d-62f7f33e49b6",
        "title": "Dipper meets the German lamp rules",
        "created_time": "2024-07-26T09:21:28Z",
        "last_edited_time": "2024-11-13T13:01:42Z",
        "is_archived": False,
        "properties": {
            "Project": "Dipper meets the German lamp rules",
            "Stage": "Shipped",
            "Lead": ["5385c03c-8f58-424e-b271-edd4d3683d8b"],
            "Run by": "Product",
            "Kick-off": "2024-07-31",
            "Target date": "2024-11-04",
            "Shipped on": "2024-11-13",
            "Budget (GBP)": None,
            "Goal": "A Dipper with the cut-off beam and the approval mark that German road law asks for.",
            "Drive folder": "https://files.brackwater.example/projects/dipper-meets-the-german-lamp-rules",
        },
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__success_2(world):
    """With data_source_id: 38 rows fit."""
    page = tools.query_data_source(world, data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50")
    assert [item["id"] for item in page["items"]] == [
        "0437be1f-6c34-4e49-9ddd-34b70eee37f5", "0d08881e-fc98-4b8f-9c7b-b448b12c84a2",
        "0d89a7a1-4eda-416d-a4a2-d713c3ddfbf0", "159c28d5-2b5b-4591-86eb-11a8b4609bee",
        "1976b9fd-c778-46f0-92d2-7dfa57fddc83", "36467c83-09ec-465b-b2c8-34d7e2cd4109",
        "38bf7c2c-d8c4-414f-bbd5-85a78bf93202", "3a2b77c3-da2a-496d-a679-a1869598217f",
        "3bb7a053-b0b0-44d9-ad14-f82234751e9a", "4041f2d6-72bd-430d-8da6-5806aa55bbc3",
        "4561c53e-c7ac-4d90-941d-c47e2985a93b", "4597d143-084c-4c67-9922-eecf49454c04",
        "47eb838f-dd91-436f-8eec-6903f9e7b66a", "4d565c6a-e1c4-4c69-8641-d5bada846bc4",
        "514df799-f672-475c-baaa-bb4105b9c3bb", "54cefb96-4ac0-48ab-aa0c-d40c0c4f86f4",
        "566fe242-d38f-4595-9cc2-3e49919efc59", "5c2b4eac-8aea-4542-b4c6-02c4a57ddfd8",
        "66e1e670-fb8f-4cff-bd9e-a606b8f47026", "6aaad302-f5cf-4ef8-9bb9-37ee11fe6496",
    ]
    assert page["items"][0] == {
        "id": "0437be1f-6c34-4e49-9ddd-34b70eee37f5",
        "title": "Bridge Street Bikes",
        "created_time": "2025-01-31T13:42:24Z",
        "last_edited_time": "2025-02-03T17:25:34Z",
        "is_archived": False,
        "properties": {
            "Organisation": "Bridge Street Bikes",
            "Relationship": "Customer",
            "Looked after by": ["12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Sort": "Bike shop",
            "Region": "South East",
            "Yearly value (GBP)": 9120.0,
            "Contact": "Lucy Enderby",
            "Contact e-mail": None,
            "Telephone": None,
            "Next call": "2025-05-02",
            "Web site": None,
        },
    }
    assert page["items"][-1] == {
        "id": "6aaad302-f5cf-4ef8-9bb9-37ee11fe6496",
        "title": "Wrekin Walkers",
        "created_time": "2024-05-02T15:13:56Z",
        "last_edited_time": "2024-05-02T17:28:09Z",
        "is_archived": False,
        "properties": {
            "Organisation": "Wrekin Walkers",
            "Relationship": "Dormant",
            "Looked after by": [],
            "Sort": "Outdoor shop",
            "Region": "Midlands",
            "Yearly value (GBP)": None,
            "Contact": "Isobel Bramley",
            "Contact e-mail": "isobel@wrekinwalkers.example",
            "Telephone": "+44 1632 960690",
            "Next call": None,
            "Web site": "https://wrekinwalkers.example",
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__success_3(world):
    """With data_source_id: 33 rows fit."""
    page = tools.query_data_source(world, data_source_id="e83a51d1-4480-4c7e-b92b-266a4df0be05")
    assert [item["id"] for item in page["items"]] == [
        "13163eb4-f567-491c-b1d8-b7bff96635ce", "141e51fd-69a8-409b-9d39-c9572a85c3ca",
        "1595d758-5bb7-4cf4-8ac4-258709f0aa6d", "1ef83333-f2e9-42b2-b5d2-fcb892e7157e",
        "2a58aca6-7a50-4d96-bc43-5c95af0ef460", "3d5d88eb-a366-4cdc-80a7-8fe87688ea80",
        "3da0bbea-87e9-4a3d-a1ab-eb7ebba841ad", "3eefe9fa-6ce1-4c15-8117-75786105d32b",
        "454285b5-cf47-4476-a2d9-2ea27403af29", "4b13ce2b-c848-46a2-9d31-05726688380e",
        "5429919f-0bdc-481e-890f-2ed5bbb2e4ed", "5e7e60f3-b3ba-4952-8edb-32d192b0807b",
        "5edca85a-0b5e-483b-9d5d-7fb7042b1a25", "672dd865-6a07-435a-b292-0a0fcbd5202a",
        "6b44e95a-c8cd-45df-88f2-f7f9d93cc745", "7a56e690-7d3e-4e55-8c2f-6e65c0cbd876",
        "82398d2c-b34d-4dba-8859-2fc0b2f89145", "8de59c4e-9ff3-4710-9208-7f499b5f0a79",
        "9a2a3fb8-6f1e-41c2-8e97-453133281c1f", "a9d801af-4f01-4fae-b3a1-d7d608bf5a9e",
    ]
    assert page["items"][0] == {
        "id": "13163eb4-f567-491c-b1d8-b7bff96635ce",
        "title": "Board fails when hung upside down",
        "created_time": "2024-10-24T13:57:35Z",
        "last_edited_time": "2025-01-02T14:21:08Z",
        "is_archived": False,
        "properties": {
            "Issue": "Board fails when hung upside down",
            "State": "Fixed",
            "Concerns": "Bittern",
            "Severity": "Unusable",
            "Fixer": ["30ef850b-d788-4394-9b96-8a64d661b56d"],
            "Found on": "2024-10-24",
            "Closed on": "2025-01-02",
            "Times reported": 8.0,
            "Batches": None,
            "First told by": [],
            "Warn customers": False,
        },
    }
    assert page["items"][-1] == {
        "id": "a9d801af-4f01-4fae-b3a1-d7d608bf5a9e",
        "title": "Pack shows full and dies after ten minutes",
        "created_time": "2024-06-10T11:09:47Z",
        "last_edited_time": "2025-03-07T16:58:04Z",
        "is_archived": False,
        "properties": {
            "Issue": "Pack shows full and dies after ten minutes",
            "State": "Being fixed",
            "Concerns": "Heron",
            "Severity": "Unusable",
            "Fixer": ["30ef850b-d788-4394-9b96-8a64d661b56d"],
            "Found on": "2024-06-10",
            "Closed on": None,
            "Times reported": 11.0,
            "Batches": "2405-1033",
            "First told by": [],
            "Warn customers": False,
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert page["items"][0]["properties"]["Warn customers"] is False
    assert not changes(world)


def test_query_data_source__success_4(world):
    """With data_source_id: 28 rows fit."""
    page = tools.query_data_source(world, data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14")
    assert [item["id"] for item in page["items"]] == [
        "04bf007b-cc42-43ae-8143-7b1ca07f0b79", "04d56c08-5417-4982-9bf4-7f9e162c7801",
        "202b47eb-c147-4f94-a6e6-96b9f9863eab", "20ba3537-59db-475f-981a-3d431e026c82",
        "27303964-2755-45fd-b0ec-257eef7c34ed", "32508290-e3ef-4566-b0e3-4630965d12c3",
        "37f8448d-d9f6-486a-9b8d-2ab687d4c542", "3ac9f471-1fd7-4943-ae23-02c108ed1e9c",
        "3f2e6e15-28c9-4c84-ac16-b0682efec975", "41476f87-9d29-41bb-9862-82ea8aec3b21",
        "427d2ca8-f131-4f68-a843-b6abce2fc60b", "64755d80-6dbf-41a2-b5b7-4ec847deb6f3",
        "6a4db2d4-884e-4d21-b5f2-f47f13e9fc60", "76464d3d-2d88-410b-a7b1-6761119d8a14",
        "7d7ce996-415e-433e-b26a-4a5b1dbbac51", "80a28aa0-faf1-4de0-89d2-fd20ed68c501",
        "8492efad-e705-4fd7-ae7c-a9c4bb6f3bcb", "866daae9-6d13-4afc-87ff-468331fa3ffc",
        "89cfdb16-8584-412d-ac07-38eb7be84461", "90a402d5-2783-4952-8cc5-e0bd03febc1d",
    ]
    assert page["items"][0] == {
        "id": "04bf007b-cc42-43ae-8143-7b1ca07f0b79",
        "title": "A headlamp for people with glasses",
        "created_time": "2024-11-25T15:39:47Z",
        "last_edited_time": "2024-12-23T10:34:27Z",
        "is_archived": False,
        "properties": {
            "Piece": "A headlamp for people with glasses",
            "Progress": "Published",
            "Writer": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
            "Reader": ["8d08e02e-7e3a-4ee6-a78c-101e45c24802"],
            "Channel": "Product page",
            "Goes out on": "2024-12-23",
            "Themes": ["people who use it"],
            "Published at": "https://brackwater.example/product-page/a-headlamp-for-people-with-glasses",
        },
    }
    assert page["items"][-1] == {
        "id": "90a402d5-2783-4952-8cc5-e0bd03febc1d",
        "title": "Gasket, explained in four drawings",
        "created_time": "2024-09-17T09:53:35Z",
        "last_edited_time": "2024-10-03T09:47:10Z",
        "is_archived": False,
        "properties": {
            "Piece": "Gasket, explained in four drawings",
            "Progress": "Published",
            "Writer": ["4cdbcfff-903c-437f-bd22-1a030759ae18"],
            "Reader": ["8d08e02e-7e3a-4ee6-a78c-101e45c24802"],
            "Channel": "Journal",
            "Goes out on": "2024-10-03",
            "Themes": ["repair"],
            "Published at": "https://brackwater.example/journal/gasket-explained-in-four-drawings",
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__with_filter(world):
    """With data_source_id and filter: 24 rows fit."""
    page = tools.query_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        filter={"property": "Step", "is_not_empty": True},
    )
    assert [item["id"] for item in page["items"]] == [
        "002051b0-dea0-4e04-b3d0-dc54704def22", "01ecddda-86b3-448b-9e6f-e14b81077ed6",
        "022d4d4a-f2b4-4e4b-829f-923acde06c0e", "17d74b6b-ff7f-47dd-b74f-a6832eadb02d",
        "2facdfa5-6fa6-43a4-8958-4f6c7263af93", "3a6997d5-1cd2-4ff3-a4d4-84a3630b947e",
        "53038e3f-def4-47fc-a6bc-dbb5ed91628b", "69c6d7da-4e7d-4eab-9601-059a3364a580",
        "6ec5f0cd-11c7-4f6a-8233-86ecd5adbdff", "7333be14-bf64-4805-8724-115ef3bfbe5f",
        "809522af-3aed-494f-a78b-0c039d58285f", "8a564ee0-92b2-4298-a464-5263f093bb4e",
        "95f649ea-bf29-49ae-836b-2f4832c7605b", "996df508-f226-4f58-abfd-965833a44a59",
        "b14fc085-7cb1-4814-8d30-98f7441030d8", "b71c5b65-308d-47c5-a48a-deb22ba2a2ef",
        "baf843ba-09fe-40db-9726-b97da3ab5cce", "bcedb6e2-6832-498b-be09-a69c0dc0aaff",
        "c505872f-7d3e-4faf-b6be-1e2b5ec9647a", "d2631bd8-272d-43f5-adb0-c0ca4eb225a6",
    ]
    assert page["items"][0] == {
        "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
        "title": "Jonathan Hall",
        "created_time": "2024-12-09T10:59:56Z",
        "last_edited_time": "2025-01-07T09:35:56Z",
        "is_archived": False,
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert page["items"][-1] == {
        "id": "d2631bd8-272d-43f5-adb0-c0ca4eb225a6",
        "title": "Naomi Widdop",
        "created_time": "2024-05-27T13:06:46Z",
        "last_edited_time": "2024-06-14T13:19:20Z",
        "is_archived": True,
        "properties": {
            "Candidate": "Naomi Widdop",
            "Step": "Turned down",
            "Opening": "Assembly technician",
            "Hiring manager": ["e8b1e25b-b7dd-4aeb-9077-45573de9b565"],
            "Applied on": "2024-05-27",
            "Talks on": "2024-06-04",
            "Came through": "Recommended",
            "E-mail": "n.widdop@example.net",
            "Impression": "Talked over the workshop lead twice.",
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__success_5(world):
    """With data_source_id: 63 rows fit."""
    page = tools.query_data_source(world, data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62")
    assert [item["id"] for item in page["items"]] == [
        "07578215-6e29-4957-8898-a2f18c0be685", "0dbd4726-a66e-4c76-97c7-ce37c0ac1cd3",
        "12a6629a-9120-4668-8e31-47f4eb468bf5", "17109d00-8d46-4723-8697-7b33fe67b539",
        "25f2da35-40d8-4596-b15c-e7b9a6d8babe", "288f2998-f8ab-4be6-b88a-958420fe47b8",
        "2a7dbd9f-1a3d-4e44-97e8-5504b5a10c1e", "2b309568-5a54-42c2-9438-c9732e31175f",
        "323c49c0-d086-4927-a5a3-c718be5e4223", "32c92654-cf83-4756-9d42-9b8789b1705c",
        "374f0eba-6a45-4dc5-8284-65cdeeeb174f", "3a811abe-2216-4799-adc5-ce7aabc5cd17",
        "3a8b3dde-3244-4bcc-b86b-692bce57c9be", "3da80d9e-2738-4b43-84a0-71effbb373f8",
        "3fc342c9-5712-421a-be9d-5a52a10ac1bc", "4068aa7f-3691-49bf-9ffb-9809cace2e1b",
        "45b39451-9909-49fe-bf39-2380affbd66f", "4f748e5e-a314-4118-abdd-da25b57d03b6",
        "503ebb6e-4b19-4122-9337-1e525eea0245", "57a608e5-06c5-440e-9148-11ab46086f6a",
    ]
    assert page["items"][0] == {
        "id": "07578215-6e29-4957-8898-a2f18c0be685",
        "title": "Operations weekly, 6 January",
        "created_time": "2025-01-06T08:53:30Z",
        "last_edited_time": "2025-02-11T16:14:43Z",
        "is_archived": False,
        "properties": {
            "Meeting": "Operations weekly, 6 January",
            "Held on": "2025-01-06",
            "Series": "Operations weekly",
            "Attendees": [
                "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd", "fe77d8b5-dd24-44dc-b443-5c7e3b473613",
                "e8b1e25b-b7dd-4aeb-9077-45573de9b565", "d85df3f8-504b-488c-8c67-ab9ffa320e32",
                "bb67cebe-3b22-4a60-af8c-86956a372781", "62af65a2-0a02-44c7-8e43-d5758300d015",
                "9497ccf0-8608-4867-86df-91a82ce55b96", "8ecda911-4954-421e-8894-b9afa94f73df",
                "95eb15f6-3e17-49de-ba35-ce63026b2ec8", "9578c2ad-5788-4597-8d2d-423469583304",
            ],
            "About": ["03af367d-c68c-43a5-a409-a2cf3bddb8c1", "9fb805f9-6caf-451f-9c37-ddf20237e84d"],
            "Minutes agreed": True,
        },
    }
    assert page["items"][-1] == {
        "id": "57a608e5-06c5-440e-9148-11ab46086f6a",
        "title": "Operations weekly, 3 March",
        "created_time": "2025-03-03T08:56:31Z",
        "last_edited_time": "2025-03-10T16:16:26Z",
        "is_archived": False,
        "properties": {
            "Meeting": "Operations weekly, 3 March",
            "Held on": "2025-03-03",
            "Series": "Operations weekly",
            "Attendees": [
                "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd", "fe77d8b5-dd24-44dc-b443-5c7e3b473613",
                "e8b1e25b-b7dd-4aeb-9077-45573de9b565", "d85df3f8-504b-488c-8c67-ab9ffa320e32",
                "bb67cebe-3b22-4a60-af8c-86956a372781", "62af65a2-0a02-44c7-8e43-d5758300d015",
                "9497ccf0-8608-4867-86df-91a82ce55b96", "8ecda911-4954-421e-8894-b9afa94f73df",
                "95eb15f6-3e17-49de-ba35-ce63026b2ec8", "9578c2ad-5788-4597-8d2d-423469583304",
            ],
            "About": ["03af367d-c68c-43a5-a409-a2cf3bddb8c1", "9fb805f9-6caf-451f-9c37-ddf20237e84d"],
            "Minutes agreed": True,
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert page["items"][0]["properties"]["Minutes agreed"] is True
    assert not changes(world)


def test_query_data_source__with_filter_2(world):
    """With data_source_id and filter: no row fits."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={
            "and": [
                {"property": "Task", "equals": "Model the rear battery shell"},
                {
                    "or": [
                        {"property": "Done on", "past_week": True},
                        {"timestamp": "last_edited_time", "past_week": True},
                    ],
                },
            ],
        },
    )
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_query_data_source__with_filter_3(world):
    """With data_source_id and filter: one row fits."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Due", "date": {"equals": "2025-01-13"}},
    )
    assert page == {
        "items": [
            {
                "id": "fcd51ceb-c566-48c5-af5e-d13e3fa27e59",
                "title": "Pre-order page with a counter",
                "created_time": "2024-12-04T09:18:49Z",
                "last_edited_time": "2025-01-14T09:34:08Z",
                "is_archived": False,
                "properties": {
                    "Task": "Pre-order page with a counter",
                    "Status": "Done",
                    "Assignee": ["12c25a00-60e9-43f0-ae71-278635f8740a"],
                    "Part of": ["17c5aa80-fc61-453d-af27-b743a8c0e0ba"],
                    "Due": "2025-01-13",
                    "Done on": "2025-01-14",
                    "Priority": "High",
                    "Estimate (h)": 6.0,
                    "Waiting for": None,
                    "Labels": [],
                },
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__with_filter_4(world):
    """With data_source_id and filter: 20 rows fit."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Done on", "past_month": True},
    )
    assert [item["id"] for item in page["items"]] == [
        "0a8e7ef7-f866-47ae-bf92-f8a7b3e1c852", "10a0dbae-3ec7-4571-b8d5-41b41fed8b84",
        "156a735c-124a-441c-b3d1-eb2e77674e9c", "29acb27c-1eb3-4c54-925a-c859b383c0eb",
        "2d33750a-58ae-4b0c-8a80-f155ec6c0df3", "31bd33c4-8227-4884-bd0e-f803e64853b7",
        "36a40a21-6b6b-4492-a812-87907f279d3e", "383cf5d7-b0b7-46ce-b010-9bf7ad23e59f",
        "3c55d245-cf8b-4de1-87f2-9e6fa8ac9ccd", "3cfe3858-f902-40ce-aa07-61e9631435c8",
        "4e2be7f0-bc2a-4087-9e98-723216d10fc6", "625bac93-5860-44ec-b5f7-18779ffc0adc",
        "6a516dac-77e3-409a-bfe0-55c6351100db", "78f89314-379e-41f9-a83c-5842267db41a",
        "797729b8-4d08-4b51-80d1-a464749239f0", "8aafc87a-38c7-4ac4-a01d-94d24de0d36b",
        "a6bca6f4-437c-4884-a7d1-2006d0167719", "aba4c9d9-a576-470e-90ac-c38021d06c58",
        "da69a337-73aa-40e9-aee7-4a417b8b89f1", "da6b5b3d-33fe-4601-bc07-b79cd92e6f6f",
    ]
    assert page["items"][0] == {
        "id": "0a8e7ef7-f866-47ae-bf92-f8a7b3e1c852",
        "title": "Phone notes: form with four fields",
        "created_time": "2025-01-17T11:35:11Z",
        "last_edited_time": "2025-02-21T09:45:43Z",
        "is_archived": False,
        "properties": {
            "Task": "Phone notes: form with four fields",
            "Status": "Done",
            "Assignee": ["9497ccf0-8608-4867-86df-91a82ce55b96"],
            "Part of": ["b344f591-9ebd-4aab-a4a9-3f266a0f5a36"],
            "Due": "2025-02-26",
            "Done on": "2025-02-21",
            "Priority": "High",
            "Estimate (h)": 3.0,
            "Waiting for": None,
            "Labels": [],
        },
    }
    assert page["items"][-1] == {
        "id": "da6b5b3d-33fe-4601-bc07-b79cd92e6f6f",
        "title": "Half-hour introduction for the workshop",
        "created_time": "2025-01-02T13:50:03Z",
        "last_edited_time": "2025-02-11T16:10:43Z",
        "is_archived": False,
        "properties": {
            "Task": "Half-hour introduction for the workshop",
            "Status": "Done",
            "Assignee": ["8ecda911-4954-421e-8894-b9afa94f73df"],
            "Part of": ["03af367d-c68c-43a5-a409-a2cf3bddb8c1"],
            "Due": "2025-02-03",
            "Done on": "2025-02-11",
            "Priority": "Low",
            "Estimate (h)": 1.0,
            "Waiting for": None,
            "Labels": ["quick win"],
        },
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__with_sorts(world):
    """With data_source_id and sorts: 166 rows fit."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        sorts=[{"property": "Status"}, {"property": "Task", "direction": "descending"}],
    )
    assert [item["id"] for item in page["items"]] == [
        "eed88af9-498c-4410-8864-4a9908150fae", "8e8e0afc-8b80-4682-ada9-ce041d921f0b",
        "4f48b15f-9734-49fb-a9a8-0fd90a489138", "a800931a-b23c-4473-9070-7f76f05c00a4",
        "bc69163f-847f-4694-81e3-976e97e8a1bb", "a6bcb23c-cf41-4bfe-95e0-2108aac121f5",
        "81b483b9-ba16-4007-bddd-4b6bd0f49871", "4000fe0c-9de4-4f5d-af1e-e79128b9d63f",
        "82562a6f-98f9-4f7a-8472-ef07898e4bb1", "a8678027-111e-47ed-a786-0afd42aa117a",
        "e8bddeff-2059-4795-848a-779975b96847", "215c6f5d-bd0b-4a40-9ecb-36fe9a18a1e4",
        "a908922b-40fc-48b1-b2b0-4372d86e8384", "3de3ece5-ed45-49d5-a59f-45824d78605e",
        "8f84b56d-edba-494d-ac7f-b6d6bd982b2d", "258c860e-001f-4f70-99b5-8e6254a12c02",
        "4a4ac3ef-0380-4d01-a89d-74c7e65ba5ad", "74d5265b-a231-46db-869e-8a414c1447c7",
        "9d698344-7e12-4685-823d-6a2845526071", "b8bab520-1736-41db-875a-903030a59c01",
    ]
    assert page["items"][0] == {
        "id": "eed88af9-498c-4410-8864-4a9908150fae",
        "title": "Write the text for the stand wall",
        "created_time": "2025-03-07T09:59:37Z",
        "last_edited_time": "2025-03-07T10:52:07Z",
        "is_archived": False,
        "properties": {
            "Task": "Write the text for the stand wall",
            "Status": "Not started",
            "Assignee": ["4cdbcfff-903c-437f-bd22-1a030759ae18"],
            "Part of": [],
            "Due": "2025-04-17",
            "Done on": None,
            "Priority": "High",
            "Estimate (h)": 3.0,
            "Waiting for": None,
            "Labels": [],
        },
    }
    assert page["items"][-1] == {
        "id": "b8bab520-1736-41db-875a-903030a59c01",
        "title": "Photographs of hands for the spring letter",
        "created_time": "2025-03-07T09:47:16Z",
        "last_edited_time": "2025-03-07T11:02:05Z",
        "is_archived": False,
        "properties": {
            "Task": "Photographs of hands for the spring letter",
            "Status": "Not started",
            "Assignee": ["4cdbcfff-903c-437f-bd22-1a030759ae18"],
            "Part of": [],
            "Due": "2025-04-07",
            "Done on": None,
            "Priority": "Normal",
            "Estimate (h)": 4.0,
            "Waiting for": None,
            "Labels": [],
        },
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__with_page_size(world):
    """With data_source_id and page_size: 166 rows fit."""
    page = tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", page_size=1)
    assert page["items"] == [
        {
            "id": "03159257-761f-44b2-bd7b-edacc5f5e001",
            "title": "Reorder envelopes in two sizes",
            "created_time": "2024-06-14T14:00:07Z",
            "last_edited_time": "2024-07-03T09:41:26Z",
            "is_archived": True,
            "properties": {
                "Task": "Reorder envelopes in two sizes",
                "Status": "Done",
                "Assignee": ["d85df3f8-504b-488c-8c67-ab9ffa320e32"],
                "Part of": ["b15cc3dc-751b-483a-aa36-1c35575a9b30"],
                "Due": "2024-07-01",
                "Done on": "2024-07-03",
                "Priority": "High",
                "Estimate (h)": 1.0,
                "Waiting for": None,
                "Labels": ["needs a supplier", "quick win"],
            },
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is True
    assert not changes(world)


def test_query_data_source__with_in_trash(world):
    """With data_source_id and in_trash: no row fits."""
    page = tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash=True)
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_query_data_source__with_filter_5(world):
    """With data_source_id and filter: 4 rows fit."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Due", "is_empty": True},
    )
    assert [item["id"] for item in page["items"]] == [
        "17ba7994-196d-43ed-a614-ed392f5e79c8", "190717fc-f9da-4529-9534-564a371cb7e9",
        "a6e4fe98-c169-4852-88f8-05f475ba9fb1", "de97d2d2-c6da-4791-8fec-52cfefe97873",
    ]
    assert page["items"][0] == {
        "id": "17ba7994-196d-43ed-a614-ed392f5e79c8",
        "title": "Bring back the sample from the boatyard",
        "created_time": "2025-02-26T11:55:43Z",
        "last_edited_time": "2025-02-26T12:27:37Z",
        "is_archived": False,
        "properties": {
            "Task": "Bring back the sample from the boatyard",
            "Status": "Not started",
            "Assignee": ["4590e34a-ac9b-46a1-af25-971da42611e9"],
            "Part of": [],
            "Due": None,
            "Done on": None,
            "Priority": "Normal",
            "Estimate (h)": 2.0,
            "Waiting for": None,
            "Labels": ["customer promise"],
        },
    }
    assert page["items"][-1] == {
        "id": "de97d2d2-c6da-4791-8fec-52cfefe97873",
        "title": "Decide about the second lift check",
        "created_time": "2025-03-05T11:08:35Z",
        "last_edited_time": "2025-03-05T12:35:39Z",
        "is_archived": False,
        "properties": {
            "Task": "Decide about the second lift check",
            "Status": "Not started",
            "Assignee": ["ae382ce0-9211-47e1-b5bc-41bd42c9bdbd"],
            "Part of": [],
            "Due": None,
            "Done on": None,
            "Priority": "High",
            "Estimate (h)": 1.0,
            "Waiting for": None,
            "Labels": ["paperwork", "quick win"],
        },
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_query_data_source__with_filter_6(world):
    """With data_source_id and filter: no row fits."""
    page = tools.query_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        filter={"property": "Step", "is_empty": True},
    )
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_query_data_source__with_filter_7(world):
    """With data_source_id and filter: no row fits."""
    page = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Task", "is_empty": True},
    )
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_query_data_source__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Assignee", "contains": "904a5786-8685-42e2-9a55-2550c0d3f6db"},
        page_size=8,
    )
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Assignee", "contains": "904a5786-8685-42e2-9a55-2550c0d3f6db"},
        page_size=2,
    )
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.query_data_source, world, first, "start_cursor",
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Assignee", "contains": "904a5786-8685-42e2-9a55-2550c0d3f6db"},
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.query_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        filter={"property": "Assignee", "contains": "904a5786-8685-42e2-9a55-2550c0d3f6db"},
        page_size=7,
    )
    assert most["has_more"] is True


def test_query_data_source__not_found(world):
    """There is no data source with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no data source with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_query_data_source__not_found_2(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            filter={"property": "Part of", "contains": "no-such-id"},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_query_data_source__not_found_3(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            sorts=[{"property": "no such property"}],
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_query_data_source__not_found_4(world):
    """The data source 'Tasks' is in the trash: nothing changes."""
    world.execute("UPDATE data_sources SET in_trash = ? WHERE id = ?", [1, "d4acf16c-4eca-417a-a874-7c3c19732f2a"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a")
    assert caught.value.code == "not_found"
    assert caught.value.message == "The data source 'Tasks' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_query_data_source__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", filter="not an object")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash="yes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", sorts="not a list")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            sorts=[{"property": "Task", "direction": "sideways"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            start_cursor="no-such-cursor",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            filter={"property": "Due", "is_empty": False},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            filter={"property": "Due", "equals": ["x"]},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            filter={"property": "Due", "resembles": "x"},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", filter={"and": []})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", filter={"equals": "x"})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.query_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            filter={"timestamp": "no such time", "after": "2025-03-11"},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_search__with_several(world):
    """With object_type, in_trash and page_size: 14 rows fit."""
    page = tools.search(world, object_type="page", in_trash=True, page_size=1)
    assert page["items"] == [
        {
            "object": "page",
            "id": "dd53e32c-f8dc-47bc-ae37-e57627162754",
            "title": "Photographs (copy)",
            "parent": {"page_id": "f0f88381-b536-4838-8b4d-ac125dde53f7"},
            "is_archived": False,
            "last_changed": "2025-02-10T14:56:34Z",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_search__with_query(world):
    """With query: no row fits."""
    page = tools.search(world, query="Checked query")
    assert page == {"items": [], "next_cursor": None, "has_more": False}
    assert not changes(world)


def test_search__success(world):
    """562 rows fit."""
    page = tools.search(world)
    assert [item["id"] for item in page["items"]] == [
        "8fd52d86-a4c0-4e34-913f-45c151126e28", "9d698344-7e12-4685-823d-6a2845526071",
        "c6c2fb8c-5424-468e-a379-143e49f100f0", "a908922b-40fc-48b1-b2b0-4372d86e8384",
        "a8678027-111e-47ed-a786-0afd42aa117a", "57a608e5-06c5-440e-9148-11ab46086f6a",
        "6a516dac-77e3-409a-bfe0-55c6351100db", "a9c3b629-994f-4d3d-bd7b-8b1a8fc49b96",
        "841b6ac7-1580-4c51-a0be-daa0c9718264", "bc69163f-847f-4694-81e3-976e97e8a1bb",
        "95e2f5fb-1ea0-47a5-b59e-002f268d1683", "374f0eba-6a45-4dc5-8284-65cdeeeb174f",
        "625bac93-5860-44ec-b5f7-18779ffc0adc", "7bd7e91c-f008-4522-82bc-237aefbae40c",
        "fed3b77e-ad59-4bcf-b31b-7212f607e6f0", "f0f3d221-f48b-45b9-b25c-df5fe54b4896",
        "3cfe3858-f902-40ce-aa07-61e9631435c8", "8f84b56d-edba-494d-ac7f-b6d6bd982b2d",
        "cd3d50b3-d1d2-428a-9f6b-e591019a6540", "215c6f5d-bd0b-4a40-9ecb-36fe9a18a1e4",
    ]
    assert page["items"][0] == {
        "object": "page",
        "id": "8fd52d86-a4c0-4e34-913f-45c151126e28",
        "title": "Choose the next lamp to cost down",
        "parent": {"data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a"},
        "is_archived": False,
        "last_changed": "2025-03-11T09:05:00Z",
    }
    assert page["items"][-1] == {
        "object": "page",
        "id": "215c6f5d-bd0b-4a40-9ecb-36fe9a18a1e4",
        "title": "Rework 31 lamps from the shelf",
        "parent": {"data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a"},
        "is_archived": False,
        "last_changed": "2025-03-10T10:57:56Z",
    }
    assert isinstance(page["next_cursor"], str)
    assert page["has_more"] is True
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_search__with_object_type(world):
    """With object_type: 8 rows fit."""
    page = tools.search(world, object_type="data_source")
    assert [item["id"] for item in page["items"]] == [
        "ada9bb2a-7518-42f5-9613-7cd98cbca4af", "d4acf16c-4eca-417a-a874-7c3c19732f2a",
        "38c3b4d9-020d-4d01-b608-ec8f7409cd14", "9e66851d-b0f9-4af8-a823-9d0997b04d50",
        "06d55244-726b-44d2-a22c-981b491a8da8", "bdf3e96a-6ba4-413f-8093-83f34f172b62",
        "c12ddd4b-e8da-4582-acb6-df7b7a9d42ea", "e83a51d1-4480-4c7e-b92b-266a4df0be05",
    ]
    assert page["items"][0] == {
        "object": "data_source",
        "id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af",
        "title": "Projects",
        "parent": {"database_id": "cb8c3ab0-047d-4d91-ae19-36ee93e2b9c5"},
        "is_archived": False,
        "last_changed": "2025-03-03T16:43:30Z",
    }
    assert page["items"][-1] == {
        "object": "data_source",
        "id": "e83a51d1-4480-4c7e-b92b-266a4df0be05",
        "title": "Issues",
        "parent": {"database_id": "367716d5-e1c7-42ff-a9b4-d8cf4b503126"},
        "is_archived": False,
        "last_changed": "2025-01-30T10:02:25Z",
    }
    assert page["next_cursor"] is None
    assert page["has_more"] is False
    assert page["items"][0]["is_archived"] is False
    assert not changes(world)


def test_search__paging(world):
    """The pages of 2 together hold the same 8 items, in the same order."""
    whole = tools.search(world, object_type="data_source", page_size=8)
    assert len(whole["items"]) == 8
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.search(world, object_type="data_source", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(tools.search, world, first, "start_cursor", object_type="data_source", page_size=2)
    assert items == whole["items"]
    most = tools.search(world, object_type="data_source", page_size=7)
    assert most["has_more"] is True


def test_search__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.search(world, object_type="page", in_trash="yes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search(world, object_type="no_such_choice")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search(world, object_type="page", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search(world, query="   ", object_type="page")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search(world, object_type="page", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.search(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_page__success(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="03159257-761f-44b2-bd7b-edacc5f5e001")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["03159257-761f-44b2-bd7b-edacc5f5e001"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a"}}
    assert result["properties"] == {
        "Task": "Reorder envelopes in two sizes",
        "Status": "Done",
        "Assignee": ["d85df3f8-504b-488c-8c67-ab9ffa320e32"],
        "Part of": ["b15cc3dc-751b-483a-aa36-1c35575a9b30"],
        "Due": "2024-07-01",
        "Done on": "2024-07-03",
        "Priority": "High",
        "Estimate (h)": 1.0,
        "Waiting for": None,
        "Labels": ["needs a supplier", "quick win"],
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is True
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_2(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["17c5aa80-fc61-453d-af27-b743a8c0e0ba"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"}}
    assert result["properties"] == {
        "Project": "Plover pen light in brass",
        "Stage": "Active",
        "Lead": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
        "Run by": "Product",
        "Kick-off": "2024-11-08",
        "Target date": "2025-04-07",
        "Shipped on": None,
        "Budget (GBP)": 3000.0,
        "Goal": "A limited run of 300 Plovers in brass, sold out before they are built.",
        "Drive folder": "https://files.brackwater.example/projects/plover-pen-light-in-brass",
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_3(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["002051b0-dea0-4e04-b3d0-dc54704def22"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"}}
    assert result["properties"] == {
        "Candidate": "Jonathan Hall",
        "Step": "Turned down",
        "Opening": "Customer care (maternity cover)",
        "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
        "Applied on": "2024-12-09",
        "Talks on": "2024-12-23",
        "Came through": "Job board",
        "E-mail": "jonathan.hall@example.net",
        "Impression": "Overqualified, and says so.",
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_4(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="7bd7e91c-f008-4522-82bc-237aefbae40c")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["7bd7e91c-f008-4522-82bc-237aefbae40c"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"}}
    assert result["properties"] == {
        "Meeting": "Product weekly, 11 March",
        "Held on": "2025-03-11",
        "Series": "Product weekly",
        "Attendees": [
            "5385c03c-8f58-424e-b271-edd4d3683d8b", "30ef850b-d788-4394-9b96-8a64d661b56d",
            "904a5786-8685-42e2-9a55-2550c0d3f6db", "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
            "72132a2a-06e1-4f43-91d2-c3d3c8f9350f", "6b196e3b-a961-4f0c-ac36-70d13187d301",
        ],
        "About": [
            "d9b5eab8-20dd-4e2c-b848-98f9e97ce56d", "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            "6b05a191-896a-4c66-9de7-83882cd5080c",
        ],
        "Minutes agreed": False,
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_5(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="4068aa7f-3691-49bf-9ffb-9809cace2e1b")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["4068aa7f-3691-49bf-9ffb-9809cace2e1b"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"}}
    assert result["properties"] == {
        "Meeting": "All hands, December 2024",
        "Held on": "2024-12-05",
        "Series": "All hands",
        "Attendees": [
            "5385c03c-8f58-424e-b271-edd4d3683d8b", "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6", "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
            "8ecda911-4954-421e-8894-b9afa94f73df", "30ef850b-d788-4394-9b96-8a64d661b56d",
            "904a5786-8685-42e2-9a55-2550c0d3f6db", "4cdbcfff-903c-437f-bd22-1a030759ae18",
            "e8b1e25b-b7dd-4aeb-9077-45573de9b565", "95eb15f6-3e17-49de-ba35-ce63026b2ec8",
            "5d6638d4-48b7-4f9f-909d-30cca55d0ee4", "12c25a00-60e9-43f0-ae71-278635f8740a",
            "72132a2a-06e1-4f43-91d2-c3d3c8f9350f", "8d08e02e-7e3a-4ee6-a78c-101e45c24802",
            "4590e34a-ac9b-46a1-af25-971da42611e9", "d85df3f8-504b-488c-8c67-ab9ffa320e32",
            "6b196e3b-a961-4f0c-ac36-70d13187d301", "bb67cebe-3b22-4a60-af8c-86956a372781",
            "62af65a2-0a02-44c7-8e43-d5758300d015", "9497ccf0-8608-4867-86df-91a82ce55b96",
        ],
        "About": [],
        "Minutes agreed": True,
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_6(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="02c02d25-2d97-44e8-a599-5de080c255f0")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["02c02d25-2d97-44e8-a599-5de080c255f0"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"page_id": "9ccadae6-fa4f-4329-b536-69a8c658f0ae"}}
    assert result["properties"] == {}
    assert result["page"]["in_trash"] is True
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_page__success_7(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="73101153-d015-4f3a-88ff-fc9e73687a23")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["73101153-d015-4f3a-88ff-fc9e73687a23"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"workspace": True}}
    assert result["properties"] == {}
    assert result["page"]["parent"]["workspace"] is True
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert not changes(world)


def test_retrieve_page__success_8(world):
    """With page_id: the result is what the rows say."""
    result = tools.retrieve_page(world, page_id="06e8a499-649c-46db-8840-b5bf92f07278")
    (row,) = world.query("SELECT * FROM pages WHERE id = ?", ["06e8a499-649c-46db-8840-b5bf92f07278"])
    assert result["page"] == _columns(
        row,
        "id", "title", "in_trash", "is_archived", "is_locked", "icon", "cover", "url", "created_by", "last_edited_by",
        "created_time", "last_edited_time", flags=("in_trash", "is_archived", "is_locked"),
    ) | {"parent": {"page_id": "620dc9be-7b16-46e5-a812-a77b373deb20"}}
    assert result["properties"] == {}
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is True
    assert not changes(world)


def test_retrieve_page__not_found(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_page(world, page_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_page__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_page(world, page_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_page__with_several(world):
    """With title, parent_data_source_id, icon and more: adds 4 of blocks, adds 1 of pages and adds 1 of …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        icon="Checked icon",
        cover="Checked cover",
        properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        children=[
            {
                "type": "paragraph",
                "text": "The first point",
                "children": [
                    {"type": "paragraph", "text": "A point under it"},
                    {
                        "type": "paragraph",
                        "text": "A point under it",
                        "checked": True,
                        "language": "https://example.org/notes",
                    },
                ],
            },
            {"type": "paragraph", "text": "The first point"},
        ],
    )
    made = changes(world)
    new_block_1, new_block_2, new_block_3, new_block_4 = [row["id"] for row in made["blocks"]["inserted"]]
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (4, 0, 0), "pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["blocks"]["inserted"] == [
        {
            "id": new_block_1,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": new_block_2,
            "in_trash": 0,
            "text": "A point under it",
            "checked": 1,
            "language": "https://example.org/notes",
            "content": None,
            "position": 1,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_2,
            "type": "paragraph",
            "parent_type": "page",
            "parent_page_id": new_page,
            "parent_block_id": None,
            "in_trash": 0,
            "text": "The first point",
            "checked": None,
            "language": None,
            "content": None,
            "position": 0,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_3,
            "type": "paragraph",
            "parent_type": "page",
            "parent_page_id": new_page,
            "parent_block_id": None,
            "in_trash": 0,
            "text": "The first point",
            "checked": None,
            "language": None,
            "content": None,
            "position": 1,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_4,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": new_block_2,
            "in_trash": 0,
            "text": "A point under it",
            "checked": None,
            "language": None,
            "content": None,
            "position": 0,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    ]
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": "Checked icon",
        "cover": "Checked cover",
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "fgt4",
        "position": 0,
        "text_value": None,
        "number_value": None,
        "date_value": "2025-03-11",
        "date_end": "2025-03-13",
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "Checked icon",
            "cover": "Checked cover",
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": None,
            "Opening": None,
            "Hiring manager": [],
            "Applied on": {"start": "2025-03-11", "end": "2025-03-13"},
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50",
        properties={"Yearly value (GBP)": 42.5},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "hnud",
        "position": 0,
        "text_value": None,
        "number_value": 42.5,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Checked title",
            "Relationship": None,
            "Looked after by": [],
            "Sort": None,
            "Region": None,
            "Yearly value (GBP)": 42.5,
            "Contact": None,
            "Contact e-mail": None,
            "Telephone": None,
            "Next call": None,
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id(world):
    """With title and parent_data_source_id: adds 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Project": "Checked title",
            "Stage": None,
            "Lead": [],
            "Run by": None,
            "Kick-off": None,
            "Target date": None,
            "Shipped on": None,
            "Budget (GBP)": None,
            "Goal": None,
            "Drive folder": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_2(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 2 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        properties={"Themes": ["behind the bench", "safety on the road"]},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (2, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [
        {
            "page_id": new_page,
            "property_id": "cwtj",
            "position": 0,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": "emqsec",
            "user_id": None,
            "related_page_id": None,
        },
        {
            "page_id": new_page,
            "property_id": "cwtj",
            "position": 1,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": "vmvtk4",
            "user_id": None,
            "related_page_id": None,
        },
    ]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "Checked title",
            "Progress": None,
            "Writer": [],
            "Reader": [],
            "Channel": None,
            "Goes out on": None,
            "Themes": ["behind the bench", "safety on the road"],
            "Published at": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_2(world):
    """With title and parent_data_source_id: adds 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Task": "Checked title",
            "Status": None,
            "Assignee": [],
            "Part of": [],
            "Due": None,
            "Done on": None,
            "Priority": None,
            "Estimate (h)": None,
            "Waiting for": None,
            "Labels": [],
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_3(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 2 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
        properties={"About": ["0c47d26d-e395-4c99-8143-fd7d55ca2edd", "03af367d-c68c-43a5-a409-a2cf3bddb8c1"]},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (2, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [
        {
            "page_id": new_page,
            "property_id": "wbvb",
            "position": 0,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": None,
            "user_id": None,
            "related_page_id": "0c47d26d-e395-4c99-8143-fd7d55ca2edd",
        },
        {
            "page_id": new_page,
            "property_id": "wbvb",
            "position": 1,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": None,
            "user_id": None,
            "related_page_id": "03af367d-c68c-43a5-a409-a2cf3bddb8c1",
        },
    ]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": "Checked title",
            "Held on": None,
            "Series": None,
            "Attendees": [],
            "About": ["0c47d26d-e395-4c99-8143-fd7d55ca2edd", "03af367d-c68c-43a5-a409-a2cf3bddb8c1"],
            "Minutes agreed": False,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_page_id(world):
    """With title and parent_page_id: adds 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.create_page(world, title="Checked title", parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70")
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "page",
        "parent_data_source_id": None,
        "parent_page_id": "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"page_id": "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {},
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_4(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 2 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"]},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (2, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [
        {
            "page_id": new_page,
            "property_id": "3wxc",
            "position": 0,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": None,
            "user_id": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "related_page_id": None,
        },
        {
            "page_id": new_page,
            "property_id": "3wxc",
            "position": 1,
            "text_value": None,
            "number_value": None,
            "date_value": None,
            "date_end": None,
            "boolean_value": None,
            "option_id": None,
            "user_id": "12c25a00-60e9-43f0-ae71-278635f8740a",
            "related_page_id": None,
        },
    ]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": None,
            "Opening": None,
            "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_5(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
        properties={"Minutes agreed": True},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "7t62",
        "position": 0,
        "text_value": None,
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": 1,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": "Checked title",
            "Held on": None,
            "Series": None,
            "Attendees": [],
            "About": [],
            "Minutes agreed": True,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_6(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50",
        properties={"Telephone": "Checked text"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "h5w4",
        "position": 0,
        "text_value": "Checked text",
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Checked title",
            "Relationship": None,
            "Looked after by": [],
            "Sort": None,
            "Region": None,
            "Yearly value (GBP)": None,
            "Contact": None,
            "Contact e-mail": None,
            "Telephone": "Checked text",
            "Next call": None,
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_children(world):
    """With title and children: adds 1 of blocks and adds 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        children=[{"type": "embed", "url": "https://example.org/notes"}],
    )
    made = changes(world)
    new_block = made["blocks"]["inserted"][0]["id"]
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (1, 0, 0), "pages": (1, 0, 0)}
    assert made["blocks"]["inserted"] == [{
        "id": new_block,
        "type": "embed",
        "parent_type": "page",
        "parent_page_id": new_page,
        "parent_block_id": None,
        "in_trash": 0,
        "text": None,
        "checked": None,
        "language": None,
        "content": None,
        "position": 0,
        "url": "https://example.org/notes",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "workspace",
        "parent_data_source_id": None,
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"workspace": True},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {},
    }
    assert result["page"]["parent"]["workspace"] is True
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False


def test_create_page__with_parent_data_source_id_and_properties_7(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        properties={"Published at": "https://example.org/notes"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "ig3w",
        "position": 0,
        "text_value": "https://example.org/notes",
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "Checked title",
            "Progress": None,
            "Writer": [],
            "Reader": [],
            "Channel": None,
            "Goes out on": None,
            "Themes": [],
            "Published at": "https://example.org/notes",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_8(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Step": "Withdrew"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "j9nz",
        "position": 0,
        "text_value": None,
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": "3ars53",
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": "Withdrew",
            "Opening": None,
            "Hiring manager": [],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_9(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Opening": "Apprentice"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "z6s7",
        "position": 0,
        "text_value": None,
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": "yp2q88",
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": None,
            "Opening": "Apprentice",
            "Hiring manager": [],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_10(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Impression": "Checked text"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "3gp4",
        "position": 0,
        "text_value": "Checked text",
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": None,
            "Opening": None,
            "Hiring manager": [],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": "Checked text",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__with_parent_data_source_id_and_properties_11(world):
    """With title, parent_data_source_id and properties: adds 1 of pages and adds 1 of property_values, and …"""
    now = world.now()
    result = tools.create_page(
        world,
        title="Checked title",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"E-mail": "rosa.lindgren@example.org"},
    )
    made = changes(world)
    new_page = made["pages"]["inserted"][0]["id"]
    assert _counts(made) == {"pages": (1, 0, 0), "property_values": (1, 0, 0)}
    assert made["pages"]["inserted"] == [{
        "id": new_page,
        "title": "Checked title",
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "in_trash": 0,
        "is_archived": 0,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_page.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["property_values"]["inserted"] == [{
        "page_id": new_page,
        "property_id": "amzr",
        "position": 0,
        "text_value": "rosa.lindgren@example.org",
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": new_page,
            "title": "Checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_page.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Checked title",
            "Step": None,
            "Opening": None,
            "Hiring manager": [],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": "rosa.lindgren@example.org",
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_create_page__invalid_argument(world):
    """Give at most one of parent_data_source_id and parent_page_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            parent_page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give at most one of parent_data_source_id and parent_page_id."
    assert caught.value.hint
    assert not changes(world)


def test_create_page__not_allowed(world):
    """The page 'Shelf plan before the labels' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(world, title="Checked title", parent_page_id="02c02d25-2d97-44e8-a599-5de080c255f0")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Shelf plan before the labels' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_create_page__not_found(world):
    """There is no data source with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="00000000-0000-0000-0000-000000000000",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no data source with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_create_page__not_found_2(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
            properties={"About": ["no-such-id"]},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_create_page__not_found_3(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Step": "no such option"},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_create_page__not_allowed_2(world):
    """The page 'Handbook' is archived: nothing changes."""
    world.execute("UPDATE pages SET is_archived = ? WHERE id = ?", [1, "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.create_page(world, title="Checked title", parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Handbook' is archived."
    assert caught.value.hint
    assert changes(world) == before


def test_create_page__not_allowed_3(world):
    """The data source 'Candidates' is in the trash: nothing changes."""
    world.execute("UPDATE data_sources SET in_trash = ? WHERE id = ?", [1, "06d55244-726b-44d2-a22c-981b491a8da8"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.create_page(world, title="Checked title", parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The data source 'Candidates' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_create_page__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "paragraph", "unknown_field": "x"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "no_such_type"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            cover="   ",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            icon="   ",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="   ",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            parent_page_id="   ",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties="not an object",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="   ",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Talks on": 1.5},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Talks on": {"start": "2025-03-13", "end": "2025-03-11"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[
                {
                    "type": "paragraph",
                    "children": [
                        {
                            "type": "paragraph",
                            "text": "A point under it",
                            "children": [{"type": "paragraph", "text": "A point under it"}],
                        },
                    ],
                },
            ],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "paragraph", "children": [{"type": "no_such_type"}]}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "paragraph", "children": [{"type": "paragraph", "text": 7}]}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "divider", "text": "The first point"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(world, title="Checked title", children=[{"type": "embed"}])
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"Applied on": {"start": "2025-03-11", "end": "2025-03-13"}},
            children=[{"type": "paragraph", "url": "https://example.org/notes"}],
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
            properties={"About": ["002051b0-dea0-4e04-b3d0-dc54704def22"]},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
            properties={"About": 1.5},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(
            world,
            title="Checked title",
            parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
            properties={"E-mail": 1.5},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_page(world, title="Checked title", properties={"title": "A checked title"})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_page__with_several(world):
    """With page_id, in_trash, icon and more: changes 1 of pages, adds 1 of property_values and changes 8 of …"""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
        in_trash=True,
        icon="Checked icon",
        is_locked=True,
        properties={
            "Candidate": "A checked title",
            "Step": "Withdrew",
            "Opening": "Apprentice",
            "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Applied on": "2025-03-16",
            "Talks on": "2025-03-16",
            "Came through": "Wrote to us",
            "E-mail": "rosa.lindgren@example.org",
            "Impression": "Checked text",
        },
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (1, 8, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "title": "A checked title",
        "in_trash": 1,
        "is_locked": 1,
        "icon": "Checked icon",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert made["property_values"]["inserted"] == [{
        "page_id": "002051b0-dea0-4e04-b3d0-dc54704def22",
        "property_id": "3wxc",
        "position": 1,
        "text_value": None,
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": "12c25a00-60e9-43f0-ae71-278635f8740a",
        "related_page_id": None,
    }]
    moved = {
        (before["page_id"], before["property_id"], before["position"]): _changed(before, after)
        for before, after in made["property_values"]["updated"]
    }
    assert moved == {
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "3gp4", 0): {"text_value": "Checked text"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "3wxc", 0): {"user_id": "296db41b-1667-44aa-9e81-e0555ec885ad"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "8sin", 0): {"option_id": "hhrz5r"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "amzr", 0): {"text_value": "rosa.lindgren@example.org"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "fgt4", 0): {"date_value": "2025-03-16"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "j9nz", 0): {"option_id": "3ars53"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "kwuz", 0): {"date_value": "2025-03-16"},
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "z6s7", 0): {"option_id": "yp2q88"},
    }
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "A checked title",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": True,
            "is_archived": False,
            "is_locked": True,
            "icon": "Checked icon",
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "A checked title",
            "Step": "Withdrew",
            "Opening": "Apprentice",
            "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Applied on": "2025-03-16",
            "Talks on": "2025-03-16",
            "Came through": "Wrote to us",
            "E-mail": "rosa.lindgren@example.org",
            "Impression": "Checked text",
        },
    }
    assert result["page"]["in_trash"] is True
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is True


def test_update_page__with_properties(world):
    """With page_id and properties: changes 1 of pages and changes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="0437be1f-6c34-4e49-9ddd-34b70eee37f5",
        properties={"Yearly value (GBP)": 42.5},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "0437be1f-6c34-4e49-9ddd-34b70eee37f5"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["property_values"]["updated"]
    assert before["page_id"] == "0437be1f-6c34-4e49-9ddd-34b70eee37f5"
    assert before["property_id"] == "hnud"
    assert before["position"] == 0
    assert _changed(before, after) == {"number_value": 42.5}
    assert result == {
        "page": {
            "id": "0437be1f-6c34-4e49-9ddd-34b70eee37f5",
            "title": "Bridge Street Bikes",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/bridge-street-bikes-0437be1f6c344e499ddd34b70eee37f5",
            "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-01-31T13:42:24Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Bridge Street Bikes",
            "Relationship": "Customer",
            "Looked after by": ["12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Sort": "Bike shop",
            "Region": "South East",
            "Yearly value (GBP)": 42.5,
            "Contact": "Lucy Enderby",
            "Contact e-mail": None,
            "Telephone": None,
            "Next call": "2025-05-02",
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_several_2(world):
    """With page_id, icon, cover and more: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="7bd7e91c-f008-4522-82bc-237aefbae40c",
        icon="A second icon",
        cover="A second cover",
        is_locked=True,
        is_archived=True,
        title="Checked title",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "7bd7e91c-f008-4522-82bc-237aefbae40c"
    assert _changed(before, after) == {
        "title": "Checked title",
        "is_archived": 1,
        "is_locked": 1,
        "icon": "A second icon",
        "cover": "A second cover",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "7bd7e91c-f008-4522-82bc-237aefbae40c",
            "title": "Checked title",
            "parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"},
            "in_trash": False,
            "is_archived": True,
            "is_locked": True,
            "icon": "A second icon",
            "cover": "A second cover",
            "url": "https://workspace.example/product-weekly-11-march-7bd7e91cf008452282bc237aefbae40c",
            "created_by": "5385c03c-8f58-424e-b271-edd4d3683d8b",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-03-10T13:34:19Z",
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": "Checked title",
            "Held on": "2025-03-11",
            "Series": "Product weekly",
            "Attendees": [
                "5385c03c-8f58-424e-b271-edd4d3683d8b", "30ef850b-d788-4394-9b96-8a64d661b56d",
                "904a5786-8685-42e2-9a55-2550c0d3f6db", "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
                "72132a2a-06e1-4f43-91d2-c3d3c8f9350f", "6b196e3b-a961-4f0c-ac36-70d13187d301",
            ],
            "About": [
                "d9b5eab8-20dd-4e2c-b848-98f9e97ce56d", "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
                "6b05a191-896a-4c66-9de7-83882cd5080c",
            ],
            "Minutes agreed": False,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is True
    assert result["page"]["is_locked"] is True


def test_update_page__with_properties_2(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="04bf007b-cc42-43ae-8143-7b1ca07f0b79", properties={"Published at": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "04bf007b-cc42-43ae-8143-7b1ca07f0b79"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("04bf007b-cc42-43ae-8143-7b1ca07f0b79", "ig3w", 0),
    ]
    assert result == {
        "page": {
            "id": "04bf007b-cc42-43ae-8143-7b1ca07f0b79",
            "title": "A headlamp for people with glasses",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/a-headlamp-for-people-with-glasses-04bf007bcc4243ae81437b1ca07f0b79",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-25T15:39:47Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "A headlamp for people with glasses",
            "Progress": "Published",
            "Writer": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
            "Reader": ["8d08e02e-7e3a-4ee6-a78c-101e45c24802"],
            "Channel": "Product page",
            "Goes out on": "2024-12-23",
            "Themes": ["people who use it"],
            "Published at": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_3(world):
    """With page_id and properties: changes 1 of pages, adds 1 of property_values and changes 1 of …"""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="04bf007b-cc42-43ae-8143-7b1ca07f0b79",
        properties={"Themes": ["behind the bench", "safety on the road"]},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (1, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "04bf007b-cc42-43ae-8143-7b1ca07f0b79"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert made["property_values"]["inserted"] == [{
        "page_id": "04bf007b-cc42-43ae-8143-7b1ca07f0b79",
        "property_id": "cwtj",
        "position": 1,
        "text_value": None,
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": "vmvtk4",
        "user_id": None,
        "related_page_id": None,
    }]
    ((before, after),) = made["property_values"]["updated"]
    assert before["page_id"] == "04bf007b-cc42-43ae-8143-7b1ca07f0b79"
    assert before["property_id"] == "cwtj"
    assert before["position"] == 0
    assert _changed(before, after) == {"option_id": "emqsec"}
    assert result == {
        "page": {
            "id": "04bf007b-cc42-43ae-8143-7b1ca07f0b79",
            "title": "A headlamp for people with glasses",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/a-headlamp-for-people-with-glasses-04bf007bcc4243ae81437b1ca07f0b79",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-25T15:39:47Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "A headlamp for people with glasses",
            "Progress": "Published",
            "Writer": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
            "Reader": ["8d08e02e-7e3a-4ee6-a78c-101e45c24802"],
            "Channel": "Product page",
            "Goes out on": "2024-12-23",
            "Themes": ["behind the bench", "safety on the road"],
            "Published at": "https://brackwater.example/product-page/a-headlamp-for-people-with-glasses",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_4(world):
    """With page_id and properties: changes 1 of pages and changes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
        properties={"Talks on": {"start": "2025-03-11", "end": "2025-03-13"}},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["property_values"]["updated"]
    assert before["page_id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert before["property_id"] == "kwuz"
    assert before["position"] == 0
    assert _changed(before, after) == {"date_value": "2025-03-11", "date_end": "2025-03-13"}
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": {"start": "2025-03-11", "end": "2025-03-13"},
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_5(world):
    """With page_id and properties: changes 1 of pages and deletes 2 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="07578215-6e29-4957-8898-a2f18c0be685", properties={"About": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 2)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "07578215-6e29-4957-8898-a2f18c0be685"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("07578215-6e29-4957-8898-a2f18c0be685", "wbvb", 0),
        ("07578215-6e29-4957-8898-a2f18c0be685", "wbvb", 1),
    ]
    assert result == {
        "page": {
            "id": "07578215-6e29-4957-8898-a2f18c0be685",
            "title": "Operations weekly, 6 January",
            "parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/operations-weekly-6-january-075782156e2949578898a2f18c0be685",
            "created_by": "fe77d8b5-dd24-44dc-b443-5c7e3b473613",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-01-06T08:53:30Z",
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": "Operations weekly, 6 January",
            "Held on": "2025-01-06",
            "Series": "Operations weekly",
            "Attendees": [
                "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd", "fe77d8b5-dd24-44dc-b443-5c7e3b473613",
                "e8b1e25b-b7dd-4aeb-9077-45573de9b565", "d85df3f8-504b-488c-8c67-ab9ffa320e32",
                "bb67cebe-3b22-4a60-af8c-86956a372781", "62af65a2-0a02-44c7-8e43-d5758300d015",
                "9497ccf0-8608-4867-86df-91a82ce55b96", "8ecda911-4954-421e-8894-b9afa94f73df",
                "95eb15f6-3e17-49de-ba35-ce63026b2ec8", "9578c2ad-5788-4597-8d2d-423469583304",
            ],
            "About": [],
            "Minutes agreed": True,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_6(world):
    """With page_id and properties: changes 1 of pages and adds 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="0437be1f-6c34-4e49-9ddd-34b70eee37f5",
        properties={"Telephone": "Checked text"},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (1, 0, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "0437be1f-6c34-4e49-9ddd-34b70eee37f5"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert made["property_values"]["inserted"] == [{
        "page_id": "0437be1f-6c34-4e49-9ddd-34b70eee37f5",
        "property_id": "h5w4",
        "position": 0,
        "text_value": "Checked text",
        "number_value": None,
        "date_value": None,
        "date_end": None,
        "boolean_value": None,
        "option_id": None,
        "user_id": None,
        "related_page_id": None,
    }]
    assert result == {
        "page": {
            "id": "0437be1f-6c34-4e49-9ddd-34b70eee37f5",
            "title": "Bridge Street Bikes",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/bridge-street-bikes-0437be1f6c344e499ddd34b70eee37f5",
            "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-01-31T13:42:24Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Bridge Street Bikes",
            "Relationship": "Customer",
            "Looked after by": ["12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Sort": "Bike shop",
            "Region": "South East",
            "Yearly value (GBP)": 9120.0,
            "Contact": "Lucy Enderby",
            "Contact e-mail": None,
            "Telephone": "Checked text",
            "Next call": "2025-05-02",
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_7(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Step": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "j9nz", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": None,
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_8(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"E-mail": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "amzr", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": None,
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_9(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="04bf007b-cc42-43ae-8143-7b1ca07f0b79", properties={"Themes": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "04bf007b-cc42-43ae-8143-7b1ca07f0b79"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("04bf007b-cc42-43ae-8143-7b1ca07f0b79", "cwtj", 0),
    ]
    assert result == {
        "page": {
            "id": "04bf007b-cc42-43ae-8143-7b1ca07f0b79",
            "title": "A headlamp for people with glasses",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/a-headlamp-for-people-with-glasses-04bf007bcc4243ae81437b1ca07f0b79",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-25T15:39:47Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "A headlamp for people with glasses",
            "Progress": "Published",
            "Writer": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
            "Reader": ["8d08e02e-7e3a-4ee6-a78c-101e45c24802"],
            "Channel": "Product page",
            "Goes out on": "2024-12-23",
            "Themes": [],
            "Published at": "https://brackwater.example/product-page/a-headlamp-for-people-with-glasses",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_10(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Opening": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "z6s7", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": None,
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_11(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Talks on": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "kwuz", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": None,
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_12(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Impression": None})
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "3gp4", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_13(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
        properties={"Hiring manager": None},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "3wxc", 0),
    ]
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": [],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__with_properties_14(world):
    """With page_id and properties: changes 1 of pages and deletes 1 of property_values, and nothing else changes."""
    now = world.now()
    result = tools.update_page(
        world,
        page_id="0437be1f-6c34-4e49-9ddd-34b70eee37f5",
        properties={"Yearly value (GBP)": None},
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 1)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "0437be1f-6c34-4e49-9ddd-34b70eee37f5"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("0437be1f-6c34-4e49-9ddd-34b70eee37f5", "hnud", 0),
    ]
    assert result == {
        "page": {
            "id": "0437be1f-6c34-4e49-9ddd-34b70eee37f5",
            "title": "Bridge Street Bikes",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/bridge-street-bikes-0437be1f6c344e499ddd34b70eee37f5",
            "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-01-31T13:42:24Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Bridge Street Bikes",
            "Relationship": "Customer",
            "Looked after by": ["12c25a00-60e9-43f0-ae71-278635f8740a"],
            "Sort": "Bike shop",
            "Region": "South East",
            "Yearly value (GBP)": None,
            "Contact": "Lucy Enderby",
            "Contact e-mail": None,
            "Telephone": None,
            "Next call": "2025-05-02",
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_update_page__invalid_argument(world):
    """There is nothing to change: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "There is nothing to change."
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_allowed(world):
    """The page 'Shelf plan before the labels' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="02c02d25-2d97-44e8-a599-5de080c255f0")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Shelf plan before the labels' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_found(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="00000000-0000-0000-0000-000000000000",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_allowed_2(world):
    """The page 'Reorder envelopes in two sizes' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="03159257-761f-44b2-bd7b-edacc5f5e001")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Reorder envelopes in two sizes' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_found_2(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="07578215-6e29-4957-8898-a2f18c0be685", properties={"About": ["no-such-id"]})
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_found_3(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Step": "no such option"})
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_found_4(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70", properties={"no such property": "x"})
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_update_page__not_allowed_3(world):
    """The page 'Company' is in the trash: nothing changes."""
    world.execute("UPDATE pages SET in_trash = ? WHERE id = ?", [1, "e11e46ff-dbe9-4105-ab24-1c7924517f92"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Company' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_page__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            cover="   ",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            icon="   ",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            in_trash="yes",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            is_archived="yes",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            is_locked="yes",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="   ",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties="not an object")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            title="   ",
            properties={
                "Candidate": "A checked title",
                "Step": "Withdrew",
                "Opening": "Apprentice",
                "Hiring manager": ["296db41b-1667-44aa-9e81-e0555ec885ad", "12c25a00-60e9-43f0-ae71-278635f8740a"],
                "Applied on": "2025-03-16",
                "Talks on": "2025-03-16",
                "Came through": "Wrote to us",
                "E-mail": "rosa.lindgren@example.org",
                "Impression": "Checked text",
            },
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Talks on": 1.5})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
            properties={"Talks on": {"start": "2025-03-13", "end": "2025-03-11"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(
            world,
            page_id="07578215-6e29-4957-8898-a2f18c0be685",
            properties={"About": ["002051b0-dea0-4e04-b3d0-dc54704def22"]},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="07578215-6e29-4957-8898-a2f18c0be685", properties={"About": 1.5})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"E-mail": 1.5})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_page(world, page_id="002051b0-dea0-4e04-b3d0-dc54704def22", properties={"Candidate": 1.5})
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_move_page__with_parent_data_source_id(world):
    """With page_id and parent_data_source_id: changes 1 of pages and deletes 8 of property_values, and nothing …"""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
        parent_data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 8)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "17c5aa80-fc61-453d-af27-b743a8c0e0ba"
    assert _changed(before, after) == {
        "parent_data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "3jbk", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "dhvu", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "engb", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "k9jn", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "kxj5", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rkku", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rwty", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "y7b5", 0),
    ]
    assert result == {
        "page": {
            "id": "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            "title": "Plover pen light in brass",
            "parent": {"data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "✏️",
            "cover": None,
            "url": "https://workspace.example/plover-pen-light-in-brass-17c5aa80fc61453daf27b743a8c0e0ba",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-05T14:38:37Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": "Plover pen light in brass",
            "Relationship": None,
            "Looked after by": [],
            "Sort": None,
            "Region": None,
            "Yearly value (GBP)": None,
            "Contact": None,
            "Contact e-mail": None,
            "Telephone": None,
            "Next call": None,
            "Web site": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_2(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="002051b0-dea0-4e04-b3d0-dc54704def22",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "002051b0-dea0-4e04-b3d0-dc54704def22"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "002051b0-dea0-4e04-b3d0-dc54704def22",
            "title": "Jonathan Hall",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": "https://workspace.example/jonathan-hall-002051b0dea04e04b3d0dc54704def22",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-12-09T10:59:56Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Jonathan Hall",
            "Step": "Turned down",
            "Opening": "Customer care (maternity cover)",
            "Hiring manager": ["b59a02c5-c555-41f9-a1e9-4a5287ffea43"],
            "Applied on": "2024-12-09",
            "Talks on": "2024-12-23",
            "Came through": "Job board",
            "E-mail": "jonathan.hall@example.net",
            "Impression": "Overqualified, and says so.",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_3(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="06e8a499-649c-46db-8840-b5bf92f07278",
        parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "06e8a499-649c-46db-8840-b5bf92f07278"
    assert _changed(before, after) == {
        "parent_type": "data_source",
        "parent_data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af",
        "parent_page_id": None,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "06e8a499-649c-46db-8840-b5bf92f07278",
            "title": "Lithium cells",
            "parent": {"data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": True,
            "icon": "🔋",
            "cover": None,
            "url": "https://workspace.example/lithium-cells-06e8a499649c46db8840b5bf92f07278",
            "created_by": "30ef850b-d788-4394-9b96-8a64d661b56d",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-25T15:25:04Z",
            "last_edited_time": now,
        },
        "properties": {
            "Project": "Lithium cells",
            "Stage": None,
            "Lead": [],
            "Run by": None,
            "Kick-off": None,
            "Target date": None,
            "Shipped on": None,
            "Budget (GBP)": None,
            "Goal": None,
            "Drive folder": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is True


def test_move_page__with_parent_data_source_id_4(world):
    """With page_id and parent_data_source_id: changes 1 of pages and deletes 8 of property_values, and nothing …"""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
        parent_data_source_id="e83a51d1-4480-4c7e-b92b-266a4df0be05",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 8)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "17c5aa80-fc61-453d-af27-b743a8c0e0ba"
    assert _changed(before, after) == {
        "parent_data_source_id": "e83a51d1-4480-4c7e-b92b-266a4df0be05",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "3jbk", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "dhvu", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "engb", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "k9jn", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "kxj5", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rkku", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rwty", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "y7b5", 0),
    ]
    assert result == {
        "page": {
            "id": "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            "title": "Plover pen light in brass",
            "parent": {"data_source_id": "e83a51d1-4480-4c7e-b92b-266a4df0be05"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "✏️",
            "cover": None,
            "url": "https://workspace.example/plover-pen-light-in-brass-17c5aa80fc61453daf27b743a8c0e0ba",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-05T14:38:37Z",
            "last_edited_time": now,
        },
        "properties": {
            "Issue": "Plover pen light in brass",
            "State": None,
            "Concerns": None,
            "Severity": None,
            "Fixer": [],
            "Found on": None,
            "Closed on": None,
            "Times reported": None,
            "Batches": None,
            "First told by": [],
            "Warn customers": False,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_5(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
        parent_data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70"
    assert _changed(before, after) == {
        "parent_type": "data_source",
        "parent_data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
        "parent_page_id": None,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            "title": "Handbook",
            "parent": {"data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "📘",
            "cover": None,
            "url": "https://workspace.example/handbook-43c409b66a814aea8ffe8a6fc7e35f70",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-21T11:44:06Z",
            "last_edited_time": now,
        },
        "properties": {
            "Task": "Handbook",
            "Status": None,
            "Assignee": [],
            "Part of": [],
            "Due": None,
            "Done on": None,
            "Priority": None,
            "Estimate (h)": None,
            "Waiting for": None,
            "Labels": [],
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_6(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
        parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "17c5aa80-fc61-453d-af27-b743a8c0e0ba"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            "title": "Plover pen light in brass",
            "parent": {"data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "✏️",
            "cover": None,
            "url": "https://workspace.example/plover-pen-light-in-brass-17c5aa80fc61453daf27b743a8c0e0ba",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-05T14:38:37Z",
            "last_edited_time": now,
        },
        "properties": {
            "Project": "Plover pen light in brass",
            "Stage": "Active",
            "Lead": ["6b196e3b-a961-4f0c-ac36-70d13187d301"],
            "Run by": "Product",
            "Kick-off": "2024-11-08",
            "Target date": "2025-04-07",
            "Shipped on": None,
            "Budget (GBP)": 3000.0,
            "Goal": "A limited run of 300 Plovers in brass, sold out before they are built.",
            "Drive folder": "https://files.brackwater.example/projects/plover-pen-light-in-brass",
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_7(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="7bd7e91c-f008-4522-82bc-237aefbae40c",
        parent_data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "7bd7e91c-f008-4522-82bc-237aefbae40c"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "7bd7e91c-f008-4522-82bc-237aefbae40c",
            "title": "Product weekly, 11 March",
            "parent": {"data_source_id": "bdf3e96a-6ba4-413f-8093-83f34f172b62"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/product-weekly-11-march-7bd7e91cf008452282bc237aefbae40c",
            "created_by": "5385c03c-8f58-424e-b271-edd4d3683d8b",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-03-10T13:34:19Z",
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": "Product weekly, 11 March",
            "Held on": "2025-03-11",
            "Series": "Product weekly",
            "Attendees": [
                "5385c03c-8f58-424e-b271-edd4d3683d8b", "30ef850b-d788-4394-9b96-8a64d661b56d",
                "904a5786-8685-42e2-9a55-2550c0d3f6db", "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
                "72132a2a-06e1-4f43-91d2-c3d3c8f9350f", "6b196e3b-a961-4f0c-ac36-70d13187d301",
            ],
            "About": [
                "d9b5eab8-20dd-4e2c-b848-98f9e97ce56d", "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
                "6b05a191-896a-4c66-9de7-83882cd5080c",
            ],
            "Minutes agreed": False,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_8(world):
    """With page_id and parent_data_source_id: changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
        parent_data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70"
    assert _changed(before, after) == {
        "parent_type": "data_source",
        "parent_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        "parent_page_id": None,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "page": {
            "id": "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            "title": "Handbook",
            "parent": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "📘",
            "cover": None,
            "url": "https://workspace.example/handbook-43c409b66a814aea8ffe8a6fc7e35f70",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-21T11:44:06Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": "Handbook",
            "Step": None,
            "Opening": None,
            "Hiring manager": [],
            "Applied on": None,
            "Talks on": None,
            "Came through": None,
            "E-mail": None,
            "Impression": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__with_parent_data_source_id_9(world):
    """With page_id and parent_data_source_id: changes 1 of pages and deletes 8 of property_values, and nothing …"""
    now = world.now()
    result = tools.move_page(
        world,
        page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
        parent_data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14",
    )
    made = changes(world)
    assert _counts(made) == {"pages": (0, 1, 0), "property_values": (0, 0, 8)}
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "17c5aa80-fc61-453d-af27-b743a8c0e0ba"
    assert _changed(before, after) == {
        "parent_data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "3jbk", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "dhvu", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "engb", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "k9jn", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "kxj5", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rkku", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "rwty", 0),
        ("17c5aa80-fc61-453d-af27-b743a8c0e0ba", "y7b5", 0),
    ]
    assert result == {
        "page": {
            "id": "17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            "title": "Plover pen light in brass",
            "parent": {"data_source_id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14"},
            "in_trash": False,
            "is_archived": False,
            "is_locked": False,
            "icon": "✏️",
            "cover": None,
            "url": "https://workspace.example/plover-pen-light-in-brass-17c5aa80fc61453daf27b743a8c0e0ba",
            "created_by": "6b196e3b-a961-4f0c-ac36-70d13187d301",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-11-05T14:38:37Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": "Plover pen light in brass",
            "Progress": None,
            "Writer": [],
            "Reader": [],
            "Channel": None,
            "Goes out on": None,
            "Themes": [],
            "Published at": None,
        },
    }
    assert result["page"]["in_trash"] is False
    assert result["page"]["is_archived"] is False
    assert result["page"]["is_locked"] is False


def test_move_page__invalid_argument(world):
    """Give exactly one of parent_data_source_id and parent_page_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(world, page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give exactly one of parent_data_source_id and parent_page_id."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed(world):
    """The page 'Shelf plan before the labels' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(world, page_id="02c02d25-2d97-44e8-a599-5de080c255f0")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Shelf plan before the labels' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_found(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="00000000-0000-0000-0000-000000000000",
            parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed_2(world):
    """The page 'Reorder envelopes in two sizes' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(world, page_id="03159257-761f-44b2-bd7b-edacc5f5e001")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Reorder envelopes in two sizes' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed_3(world):
    """The page 'Shelf plan before the labels' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="9ccadae6-fa4f-4329-b536-69a8c658f0ae",
            parent_page_id="02c02d25-2d97-44e8-a599-5de080c255f0",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Shelf plan before the labels' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed_4(world):
    """The page 'Reorder envelopes in two sizes' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            parent_page_id="03159257-761f-44b2-bd7b-edacc5f5e001",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Reorder envelopes in two sizes' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed_5(world):
    """A page cannot be moved into itself or into what it contains: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="e11e46ff-dbe9-4105-ab24-1c7924517f92",
            parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "A page cannot be moved into itself or into what it contains."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_found_2(world):
    """There is no data source with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            parent_data_source_id="00000000-0000-0000-0000-000000000000",
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no data source with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_move_page__not_allowed_6(world):
    """The data source 'Tasks' is in the trash: nothing changes."""
    tools.update_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash=True)
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            parent_data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The data source 'Tasks' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_move_page__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.move_page(world, page_id="   ", parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.move_page(world, page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba", parent_data_source_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.move_page(
            world,
            page_id="17c5aa80-fc61-453d-af27-b743a8c0e0ba",
            parent_data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
            parent_page_id="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_block_children__with_page_id_and_page_size(world):
    """With page_id and page_size: 6 rows fit."""
    page = tools.list_block_children(world, page_id="e11e46ff-dbe9-4105-ab24-1c7924517f92", page_size=1)
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 2",
        ["e11e46ff-dbe9-4105-ab24-1c7924517f92", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "id": "d6f99cbb-f7f1-48df-b09c-8931596c2f3e",
            "type": "paragraph",
            "parent": {"page_id": "e11e46ff-dbe9-4105-ab24-1c7924517f92"},
            "text": "Everything that belongs to all of us. Daisy keeps the handbook, Lewis the objectives.",
            "checked": None,
            "language": None,
            "position": 0,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-06T10:46:25Z",
            "last_edited_time": "2024-03-06T10:46:25Z",
            "created_by_name": "Daisy Oakley",
            "has_children": False,
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert [item["id"] for item in page["child_databases"]] == [
        "961403ed-b063-4462-a594-cc50241e9e08", "199a25c5-876c-46ed-a393-fe1631b1368e",
        "cb8c3ab0-047d-4d91-ae19-36ee93e2b9c5", "eb117302-4d64-42f8-9a49-146812e002d6",
    ]
    assert page["child_databases"][0] == {"id": "961403ed-b063-4462-a594-cc50241e9e08", "title": "Candidates"}
    assert page["child_databases"][-1] == {"id": "eb117302-4d64-42f8-9a49-146812e002d6", "title": "Tasks"}
    assert [item["id"] for item in page["child_pages"]] == [
        "0bc7c98a-a3b2-4f1e-87a2-a530e9c047dc", "43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
        "2c96570b-f89a-4632-84d6-3049d7c36b3b", "913ced4c-5171-4af5-a8fa-fc38c04d5dc2",
        "c6baa5b9-11ea-4ae7-b6d4-b27ef3f8f098", "c61d160d-30b3-41d7-b1e8-daf81c809aee",
    ]
    assert page["child_pages"][0] == {"id": "0bc7c98a-a3b2-4f1e-87a2-a530e9c047dc", "title": "Archive"}
    assert page["child_pages"][-1] == {"id": "c61d160d-30b3-41d7-b1e8-daf81c809aee", "title": "Who does what"}
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_block_id(world):
    """With block_id: 3 rows fit."""
    page = tools.list_block_children(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_block_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["62d92070-01bd-4a51-8c2e-b103eef1ad4e", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "id": "be4d01ff-f3e3-48ba-8355-f4d229a11050",
            "type": "bulleted_list_item",
            "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
            "text": "Work that your lead asked for outside your hours",
            "checked": None,
            "language": None,
            "position": 0,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-21T12:29:04Z",
            "last_edited_time": "2024-03-21T12:29:04Z",
            "created_by_name": "Daisy Oakley",
            "has_children": False,
        },
        {
            "id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            "type": "bulleted_list_item",
            "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
            "text": "Travel to fairs before eight or after six",
            "checked": None,
            "language": None,
            "position": 1,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-21T12:29:58Z",
            "last_edited_time": "2024-03-21T12:29:58Z",
            "created_by_name": "Daisy Oakley",
            "has_children": False,
        },
        {
            "id": "fffea06d-1975-4a3f-ab7b-7f1a0cf237aa",
            "type": "bulleted_list_item",
            "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
            "text": "Not: finishing something because it is nearly done",
            "checked": None,
            "language": None,
            "position": 2,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-21T12:33:15Z",
            "last_edited_time": "2024-03-21T12:33:15Z",
            "created_by_name": "Daisy Oakley",
            "has_children": False,
        },
    ]
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_page_id(world):
    """With page_id: 5 rows fit."""
    page = tools.list_block_children(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "id": "e4c9666f-3ccb-4f0d-9996-4f32639d63aa",
        "type": "paragraph",
        "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
        "text": "The building is open from seven to six. Most of us start between half past seven and nine.",
        "checked": None,
        "language": None,
        "position": 0,
        "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
        "created_time": "2024-03-21T12:20:18Z",
        "last_edited_time": "2024-03-21T12:20:18Z",
        "created_by_name": "Daisy Oakley",
        "has_children": False,
    }
    assert page["items"][-1] == {
        "id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        "type": "toggle",
        "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
        "text": "What counts as overtime",
        "checked": None,
        "language": None,
        "position": 4,
        "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
        "created_time": "2024-03-21T12:26:37Z",
        "last_edited_time": "2024-03-21T12:26:37Z",
        "created_by_name": "Daisy Oakley",
        "has_children": True,
    }
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_page_id_2(world):
    """With page_id: 5 rows fit."""
    page = tools.list_block_children(world, page_id="784084b1-9b7b-440d-9e4b-0154a22c58ab")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["784084b1-9b7b-440d-9e4b-0154a22c58ab", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "id": "de808e70-423c-4d37-8244-e5f6d5b9b1f9",
        "type": "paragraph",
        "parent": {"page_id": "784084b1-9b7b-440d-9e4b-0154a22c58ab"},
        "text": "One binary for all editions; the board says which it is.",
        "checked": None,
        "language": None,
        "position": 0,
        "created_by": "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
        "created_time": "2024-05-20T16:17:07Z",
        "last_edited_time": "2024-05-20T16:17:07Z",
        "created_by_name": "Callum Wadsworth",
        "has_children": False,
    }
    assert page["items"][-1] == {
        "id": "64503c60-98ae-470d-bcad-d184490810aa",
        "type": "paragraph",
        "parent": {"page_id": "784084b1-9b7b-440d-9e4b-0154a22c58ab"},
        "text": "Release only after the full-length run on the bench.",
        "checked": None,
        "language": None,
        "position": 4,
        "created_by": "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
        "created_time": "2024-05-20T16:25:14Z",
        "last_edited_time": "2024-05-20T16:25:14Z",
        "created_by_name": "Callum Wadsworth",
        "has_children": False,
    }
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == [{"id": "fa8e8e60-8dbe-46bc-8a2e-0c7cacc14b5c", "title": "Release checklist"}]
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_page_id_3(world):
    """With page_id: no row fits."""
    page = tools.list_block_children(world, page_id="74d5265b-a231-46db-869e-8a414c1447c7")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["74d5265b-a231-46db-869e-8a414c1447c7", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert not changes(world)


def test_list_block_children__with_page_id_4(world):
    """With page_id: 5 rows fit."""
    page = tools.list_block_children(world, page_id="60c8de05-d837-4551-8268-1f5dab87c962")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["60c8de05-d837-4551-8268-1f5dab87c962", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "id": "5942f14e-a5d0-4a45-b577-89b7ef19c05c",
        "type": "paragraph",
        "parent": {"page_id": "60c8de05-d837-4551-8268-1f5dab87c962"},
        "text": "Somebody's lamp does not work. Everything here is for getting it to work again, today if we can.",
        "checked": None,
        "language": None,
        "position": 0,
        "created_by": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
        "created_time": "2024-03-07T12:53:35Z",
        "last_edited_time": "2024-03-07T12:53:35Z",
        "created_by_name": "Ben Tarrant",
        "has_children": False,
    }
    assert page["items"][-1] == {
        "id": "f5dcd193-84a5-4038-9902-030ed9de8ab0",
        "type": "numbered_list_item",
        "parent": {"page_id": "60c8de05-d837-4551-8268-1f5dab87c962"},
        "text": "The old part comes back in the box.",
        "checked": None,
        "language": None,
        "position": 4,
        "created_by": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
        "created_time": "2024-03-07T13:00:38Z",
        "last_edited_time": "2024-03-07T13:00:38Z",
        "created_by_name": "Ben Tarrant",
        "has_children": False,
    }
    assert page["next_cursor"] is None
    assert page["child_databases"] == [{"id": "367716d5-e1c7-42ff-a9b4-d8cf4b503126", "title": "Issues"}]
    assert [item["id"] for item in page["child_pages"]] == [
        "1fd09c57-c112-4d1c-97ce-81825a28df02", "8a70af0d-8d11-429e-9cd7-aece47b3bad4",
        "7079dbff-2bf7-48c9-82b1-d391c612dab1", "d2e1a0e6-a41d-46a1-9223-b7d2ba5ef748",
        "208c34a6-7021-4d0c-b66d-13b7a7f948ba",
    ]
    assert page["child_pages"][0] == {"id": "1fd09c57-c112-4d1c-97ce-81825a28df02", "title": "Guarantee"}
    assert page["child_pages"][-1] == {"id": "208c34a6-7021-4d0c-b66d-13b7a7f948ba", "title": "What we answer"}
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_page_id_5(world):
    """With page_id: 12 rows fit."""
    page = tools.list_block_children(world, page_id="5c70f8bc-cafe-49dc-875a-25a203cf780c")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["5c70f8bc-cafe-49dc-875a-25a203cf780c", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "id": "8f1618a9-a2ea-4ffa-a50b-be21c388fbfd",
        "type": "heading_2",
        "parent": {"page_id": "5c70f8bc-cafe-49dc-875a-25a203cf780c"},
        "text": "In one sentence",
        "checked": None,
        "language": None,
        "position": 0,
        "created_by": "12c25a00-60e9-43f0-ae71-278635f8740a",
        "created_time": "2024-04-02T14:20:19Z",
        "last_edited_time": "2024-04-02T14:20:19Z",
        "created_by_name": "Clara Lindqvist",
        "has_children": False,
    }
    assert page["items"][-1] == {
        "id": "0023e600-bfc2-420c-8118-0f6ad14eafc4",
        "type": "paragraph",
        "parent": {"page_id": "5c70f8bc-cafe-49dc-875a-25a203cf780c"},
        "text": "Agreed on 4 April.",
        "checked": None,
        "language": None,
        "position": 11,
        "created_by": "12c25a00-60e9-43f0-ae71-278635f8740a",
        "created_time": "2024-04-05T14:49:11Z",
        "last_edited_time": "2024-04-05T14:49:11Z",
        "created_by_name": "Clara Lindqvist",
        "has_children": False,
    }
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_page_id_6(world):
    """With page_id: 11 rows fit."""
    page = tools.list_block_children(world, page_id="4f748e5e-a314-4118-abdd-da25b57d03b6")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_page_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["4f748e5e-a314-4118-abdd-da25b57d03b6", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"][0] == {
        "id": "21aae3ab-d095-40e7-8023-c04009148ebe",
        "type": "paragraph",
        "parent": {"page_id": "4f748e5e-a314-4118-abdd-da25b57d03b6"},
        "text": "Present: Lucy, Piotr, Clara, Sally, Ben, Martin.",
        "checked": None,
        "language": None,
        "position": 0,
        "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
        "created_time": "2025-01-29T08:46:52Z",
        "last_edited_time": "2025-01-29T08:46:52Z",
        "created_by_name": "Lucy Ormerod",
        "has_children": False,
    }
    assert page["items"][-1] == {
        "id": "dc5321d1-5252-49bf-a92e-fd4d7b82801a",
        "type": "to_do",
        "parent": {"page_id": "4f748e5e-a314-4118-abdd-da25b57d03b6"},
        "text": "Martin: Spares kit for the road, by 3 March",
        "checked": True,
        "language": None,
        "position": 10,
        "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
        "created_time": "2025-01-29T09:00:29Z",
        "last_edited_time": "2025-03-10T10:26:07Z",
        "created_by_name": "Lucy Ormerod",
        "has_children": False,
    }
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert page["items"][0]["has_children"] is False
    assert not changes(world)


def test_list_block_children__with_block_id_2(world):
    """With block_id: no row fits."""
    page = tools.list_block_children(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    expected = world.query(
        "SELECT id "
        "FROM blocks "
        "WHERE parent_block_id IS ? "
        "AND in_trash IS ? "
        "ORDER BY position, id LIMIT 21",
        ["290443f2-73c5-4cb8-b07f-14d34bf54fdb", 0],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert page["child_databases"] == []
    assert page["child_pages"] == []
    assert not changes(world)


def test_list_block_children__paging(world):
    """The pages of 3 together hold the same 9 items, in the same order."""
    whole = tools.list_block_children(world, page_id="6775880b-dce8-465f-933b-9ff18e88b047", page_size=9)
    assert len(whole["items"]) == 9
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_block_children(world, page_id="6775880b-dce8-465f-933b-9ff18e88b047", page_size=3)
    assert first["items"] == whole["items"][:3]
    assert first["has_more"] is True
    items = _all_pages(
        tools.list_block_children, world, first, "start_cursor",
        page_id="6775880b-dce8-465f-933b-9ff18e88b047",
        page_size=3,
    )
    assert items == whole["items"]
    most = tools.list_block_children(world, page_id="6775880b-dce8-465f-933b-9ff18e88b047", page_size=8)
    assert most["has_more"] is True


def test_list_block_children__invalid_argument(world):
    """Give exactly one of page_id and block_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give exactly one of page_id and block_id."
    assert caught.value.hint
    assert not changes(world)


def test_list_block_children__not_found(world):
    """The page 'Birthday list' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="45b2d131-7284-40df-ae6e-bbe7e956d8ee")
    assert caught.value.code == "not_found"
    assert caught.value.message == "The page 'Birthday list' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_list_block_children__not_found_2(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_list_block_children__not_found_3(world):
    """The block '290443f2-73c5-4cb8-b07f-14d34bf54fdb' is in the trash: nothing changes."""
    world.execute("UPDATE blocks SET in_trash = ? WHERE id = ?", [1, "290443f2-73c5-4cb8-b07f-14d34bf54fdb"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    assert caught.value.code == "not_found"
    assert caught.value.message == "The block '290443f2-73c5-4cb8-b07f-14d34bf54fdb' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_list_block_children__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="784084b1-9b7b-440d-9e4b-0154a22c58ab", block_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="784084b1-9b7b-440d-9e4b-0154a22c58ab", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="784084b1-9b7b-440d-9e4b-0154a22c58ab", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_block_children(world, page_id="784084b1-9b7b-440d-9e4b-0154a22c58ab", start_cursor="no-such-cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_block__success(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e")
    assert result == {
        "block": {
            "id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "type": "toggle",
            "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
            "in_trash": False,
            "text": "What counts as overtime",
            "checked": None,
            "language": None,
            "content": None,
            "position": 4,
            "url": None,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-21T12:26:37Z",
            "last_edited_time": "2024-03-21T12:26:37Z",
            "has_children": True,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["has_children"] is True
    assert not changes(world)


def test_retrieve_block__success_2(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="0b65ac60-5cd0-425b-84c2-d1e3cf55be53")
    assert result == {
        "block": {
            "id": "0b65ac60-5cd0-425b-84c2-d1e3cf55be53",
            "type": "bookmark",
            "parent": {"page_id": "6775880b-dce8-465f-933b-9ff18e88b047"},
            "in_trash": False,
            "text": "Drawings, quotes and pictures",
            "checked": None,
            "language": None,
            "content": None,
            "position": 8,
            "url": "https://files.brackwater.example/projects/move-the-stock-count-to-scanners",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "created_time": "2024-06-03T14:43:24Z",
            "last_edited_time": "2024-06-03T14:43:24Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__success_3(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="1d495c30-c21d-4f35-a93b-80a2c15ec4d5")
    assert result == {
        "block": {
            "id": "1d495c30-c21d-4f35-a93b-80a2c15ec4d5",
            "type": "code",
            "parent": {"page_id": "784084b1-9b7b-440d-9e4b-0154a22c58ab"},
            "in_trash": False,
            "text": "if (pressed(LEFT) && held_ms > 900) set_mode(RED);",
            "checked": None,
            "language": "c",
            "content": None,
            "position": 3,
            "url": None,
            "created_by": "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
            "last_edited_by": "5d6638d4-48b7-4f9f-909d-30cca55d0ee4",
            "created_time": "2024-05-20T16:22:51Z",
            "last_edited_time": "2024-05-20T16:22:51Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__success_4(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="00c2a500-2f33-40ab-bc9a-bc99f9a9a25f")
    assert result == {
        "block": {
            "id": "00c2a500-2f33-40ab-bc9a-bc99f9a9a25f",
            "type": "divider",
            "parent": {"page_id": "5c70f8bc-cafe-49dc-875a-25a203cf780c"},
            "in_trash": False,
            "text": None,
            "checked": None,
            "language": None,
            "content": None,
            "position": 10,
            "url": None,
            "created_by": "12c25a00-60e9-43f0-ae71-278635f8740a",
            "last_edited_by": "12c25a00-60e9-43f0-ae71-278635f8740a",
            "created_time": "2024-04-02T14:33:46Z",
            "last_edited_time": "2024-04-05T14:49:11Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__success_5(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    assert result == {
        "block": {
            "id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            "type": "bulleted_list_item",
            "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
            "in_trash": False,
            "text": "Travel to fairs before eight or after six",
            "checked": None,
            "language": None,
            "content": None,
            "position": 1,
            "url": None,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-03-21T12:29:58Z",
            "last_edited_time": "2024-03-21T12:29:58Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__success_6(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="1473b858-c5bd-4b60-b64c-7016849ae692")
    assert result == {
        "block": {
            "id": "1473b858-c5bd-4b60-b64c-7016849ae692",
            "type": "paragraph",
            "parent": {"page_id": "45b2d131-7284-40df-ae6e-bbe7e956d8ee"},
            "in_trash": True,
            "text": "Not in here, please. - Daisy",
            "checked": None,
            "language": None,
            "content": None,
            "position": 0,
            "url": None,
            "created_by": "9497ccf0-8608-4867-86df-91a82ce55b96",
            "last_edited_by": "9497ccf0-8608-4867-86df-91a82ce55b96",
            "created_time": "2025-01-20T13:10:44Z",
            "last_edited_time": "2025-01-20T13:10:44Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is True
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__success_7(world):
    """With block_id: the result is what the rows say."""
    result = tools.retrieve_block(world, block_id="018f001e-bbf4-4af9-a9e6-bc17855a4df2")
    assert result == {
        "block": {
            "id": "018f001e-bbf4-4af9-a9e6-bc17855a4df2",
            "type": "to_do",
            "parent": {"page_id": "7447b0d2-80fc-45a2-80b7-6924f27453fe"},
            "in_trash": False,
            "text": "Tape, knife, plasters, biscuits",
            "checked": False,
            "language": None,
            "content": None,
            "position": 4,
            "url": None,
            "created_by": "d85df3f8-504b-488c-8c67-ab9ffa320e32",
            "last_edited_by": "d85df3f8-504b-488c-8c67-ab9ffa320e32",
            "created_time": "2024-05-24T09:50:53Z",
            "last_edited_time": "2024-10-04T14:33:02Z",
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["checked"] is False
    assert result["block"]["has_children"] is False
    assert not changes(world)


def test_retrieve_block__not_found(world):
    """There is no block with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_block(world, block_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no block with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_block__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_block(world, block_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__with_block_id_and_after(world):
    """With children, block_id and after: adds 2 of blocks, changes 2 of blocks and changes 1 of pages, and …"""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[
            {
                "type": "transcription",
                "text": "The first point",
                "checked": True,
                "language": "https://example.org/notes",
            },
            {"type": "paragraph"},
        ],
        block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
    )
    made = changes(world)
    new_block_1, new_block_2 = [row["id"] for row in made["blocks"]["inserted"]]
    assert _counts(made) == {"blocks": (2, 2, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [
        {
            "id": new_block_1,
            "type": "transcription",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "in_trash": 0,
            "text": "The first point",
            "checked": 1,
            "language": "https://example.org/notes",
            "content": None,
            "position": 2,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_2,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "in_trash": 0,
            "text": None,
            "checked": None,
            "language": None,
            "content": None,
            "position": 3,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    ]
    moved = {before["id"]: _changed(before, after) for before, after in made["blocks"]["updated"]}
    assert moved == {
        "62d92070-01bd-4a51-8c2e-b103eef1ad4e": {
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_time": now,
        },
        "fffea06d-1975-4a3f-ab7b-7f1a0cf237aa": {"position": 4},
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block_1,
                "type": "transcription",
                "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
                "in_trash": False,
                "text": "The first point",
                "checked": True,
                "language": "https://example.org/notes",
                "content": None,
                "position": 2,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
            {
                "id": new_block_2,
                "type": "paragraph",
                "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
                "in_trash": False,
                "text": None,
                "checked": None,
                "language": None,
                "content": None,
                "position": 3,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False
    assert result["items"][0]["checked"] is True


def test_append_block_children__with_page_id(world):
    """With children and page_id: adds 1 of blocks and changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[{"type": "paragraph", "text": "The first point"}],
        page_id="74d5265b-a231-46db-869e-8a414c1447c7",
    )
    made = changes(world)
    new_block = made["blocks"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (1, 0, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [{
        "id": new_block,
        "type": "paragraph",
        "parent_type": "page",
        "parent_page_id": "74d5265b-a231-46db-869e-8a414c1447c7",
        "parent_block_id": None,
        "in_trash": 0,
        "text": "The first point",
        "checked": None,
        "language": None,
        "content": None,
        "position": 0,
        "url": None,
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "74d5265b-a231-46db-869e-8a414c1447c7"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block,
                "type": "paragraph",
                "parent": {"page_id": "74d5265b-a231-46db-869e-8a414c1447c7"},
                "in_trash": False,
                "text": "The first point",
                "checked": None,
                "language": None,
                "content": None,
                "position": 0,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False


def test_append_block_children__with_block_id_and_after_2(world):
    """With children, block_id and after: adds 1 of blocks, changes 2 of blocks and changes 1 of pages, and …"""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[{"type": "embed", "url": "https://example.org/notes"}],
        block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
    )
    made = changes(world)
    new_block = made["blocks"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (1, 2, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [{
        "id": new_block,
        "type": "embed",
        "parent_type": "block",
        "parent_page_id": None,
        "parent_block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        "in_trash": 0,
        "text": None,
        "checked": None,
        "language": None,
        "content": None,
        "position": 2,
        "url": "https://example.org/notes",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    moved = {before["id"]: _changed(before, after) for before, after in made["blocks"]["updated"]}
    assert moved == {
        "62d92070-01bd-4a51-8c2e-b103eef1ad4e": {
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_time": now,
        },
        "fffea06d-1975-4a3f-ab7b-7f1a0cf237aa": {"position": 3},
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block,
                "type": "embed",
                "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
                "in_trash": False,
                "text": None,
                "checked": None,
                "language": None,
                "content": None,
                "position": 2,
                "url": "https://example.org/notes",
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False


def test_append_block_children__with_block_id(world):
    """With children and block_id: adds 1 of blocks, changes 1 of blocks and changes 1 of pages, and nothing else …"""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[{"type": "paragraph", "text": "The first point"}],
        block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
    )
    made = changes(world)
    new_block = made["blocks"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (1, 1, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [{
        "id": new_block,
        "type": "paragraph",
        "parent_type": "block",
        "parent_page_id": None,
        "parent_block_id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        "in_trash": 0,
        "text": "The first point",
        "checked": None,
        "language": None,
        "content": None,
        "position": 0,
        "url": None,
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "290443f2-73c5-4cb8-b07f-14d34bf54fdb"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block,
                "type": "paragraph",
                "parent": {"block_id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb"},
                "in_trash": False,
                "text": "The first point",
                "checked": None,
                "language": None,
                "content": None,
                "position": 0,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False


def test_append_block_children__with_page_id_and_after(world):
    """With children, page_id and after: adds 1 of blocks and changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[{"type": "paragraph", "text": "The first point"}],
        page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b",
        after="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
    )
    made = changes(world)
    new_block = made["blocks"]["inserted"][0]["id"]
    assert _counts(made) == {"blocks": (1, 0, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [{
        "id": new_block,
        "type": "paragraph",
        "parent_type": "page",
        "parent_page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b",
        "parent_block_id": None,
        "in_trash": 0,
        "text": "The first point",
        "checked": None,
        "language": None,
        "content": None,
        "position": 5,
        "url": None,
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block,
                "type": "paragraph",
                "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
                "in_trash": False,
                "text": "The first point",
                "checked": None,
                "language": None,
                "content": None,
                "position": 5,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False


def test_append_block_children__with_block_id_and_after_3(world):
    """With children, block_id and after: adds 4 of blocks, changes 2 of blocks and changes 1 of pages, and …"""
    now = world.now()
    result = tools.append_block_children(
        world,
        children=[
            {
                "type": "paragraph",
                "text": "The first point",
                "children": [
                    {"type": "paragraph", "text": "A point under it"},
                    {
                        "type": "paragraph",
                        "text": "A point under it",
                        "checked": True,
                        "language": "https://example.org/notes",
                    },
                ],
            },
            {"type": "paragraph", "text": "The first point"},
        ],
        block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
    )
    made = changes(world)
    new_block_1, new_block_2, new_block_3, new_block_4 = [row["id"] for row in made["blocks"]["inserted"]]
    assert _counts(made) == {"blocks": (4, 2, 0), "pages": (0, 1, 0)}
    assert made["blocks"]["inserted"] == [
        {
            "id": new_block_1,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": new_block_2,
            "in_trash": 0,
            "text": "A point under it",
            "checked": 1,
            "language": "https://example.org/notes",
            "content": None,
            "position": 1,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_2,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "in_trash": 0,
            "text": "The first point",
            "checked": None,
            "language": None,
            "content": None,
            "position": 2,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_3,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "in_trash": 0,
            "text": "The first point",
            "checked": None,
            "language": None,
            "content": None,
            "position": 3,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        {
            "id": new_block_4,
            "type": "paragraph",
            "parent_type": "block",
            "parent_page_id": None,
            "parent_block_id": new_block_2,
            "in_trash": 0,
            "text": "A point under it",
            "checked": None,
            "language": None,
            "content": None,
            "position": 0,
            "url": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    ]
    moved = {before["id"]: _changed(before, after) for before, after in made["blocks"]["updated"]}
    assert moved == {
        "62d92070-01bd-4a51-8c2e-b103eef1ad4e": {
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_time": now,
        },
        "fffea06d-1975-4a3f-ab7b-7f1a0cf237aa": {"position": 4},
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "items": [
            {
                "id": new_block_2,
                "type": "paragraph",
                "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
                "in_trash": False,
                "text": "The first point",
                "checked": None,
                "language": None,
                "content": None,
                "position": 2,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
            {
                "id": new_block_3,
                "type": "paragraph",
                "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
                "in_trash": False,
                "text": "The first point",
                "checked": None,
                "language": None,
                "content": None,
                "position": 3,
                "url": None,
                "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
                "created_time": now,
                "last_edited_time": now,
            },
        ],
    }
    assert result["items"][0]["in_trash"] is False


def test_append_block_children__invalid_argument(world):
    """Give exactly one of page_id and block_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(world, children=[{"type": "embed"}])
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give exactly one of page_id and block_id."
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__not_allowed(world):
    """The page 'Birthday list' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            page_id="45b2d131-7284-40df-ae6e-bbe7e956d8ee",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Birthday list' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__not_found(world):
    """There is no block with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            block_id="00000000-0000-0000-0000-000000000000",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no block with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__not_allowed_2(world):
    """The page 'Brief: Spare parts in the web shop' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            page_id="5c70f8bc-cafe-49dc-875a-25a203cf780c",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Brief: Spare parts in the web shop' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__not_allowed_3(world):
    """The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            block_id="1473b858-c5bd-4b60-b64c-7016849ae692",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__not_found_2(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            after="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_append_block_children__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            block_id="   ",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(world, children=[{"type": "paragraph", "unknown_field": "x"}])
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(world, children=[{"type": "no_such_type"}])
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "text": "The first point"}],
            page_id="   ",
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[
                {
                    "type": "paragraph",
                    "children": [
                        {
                            "type": "paragraph",
                            "text": "A point under it",
                            "children": [{"type": "paragraph", "text": "A point under it"}],
                        },
                    ],
                },
            ],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "children": [{"type": "no_such_type"}]}],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "children": [{"type": "paragraph", "text": 7}]}],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "divider", "text": "The first point"}],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(world, children=[{"type": "embed"}], page_id="4068aa7f-3691-49bf-9ffb-9809cace2e1b")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.append_block_children(
            world,
            children=[{"type": "paragraph", "url": "https://example.org/notes"}],
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            after="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_block__with_several(world):
    """With block_id, in_trash, text and more: changes 1 of blocks and changes 1 of pages, and nothing else …"""
    now = world.now()
    result = tools.update_block(
        world,
        block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
        in_trash=True,
        text="Checked text",
        checked=True,
        content={"note": "checked"},
    )
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "62d92070-01bd-4a51-8c2e-b103eef1ad4e"
    assert _changed(before, after) == {
        "in_trash": 1,
        "text": "Checked text",
        "checked": 1,
        "content": '{"note":"checked"}',
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "block": {
            "id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            "type": "toggle",
            "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
            "in_trash": True,
            "text": "Checked text",
            "checked": True,
            "language": None,
            "content": {"note": "checked"},
            "position": 4,
            "url": None,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-21T12:26:37Z",
            "last_edited_time": now,
            "has_children": True,
        },
    }
    assert result["block"]["in_trash"] is True
    assert result["block"]["checked"] is True
    assert result["block"]["has_children"] is True


def test_update_block__with_several_2(world):
    """With block_id, text, checked and language: changes 1 of blocks and changes 1 of pages, and nothing else …"""
    now = world.now()
    result = tools.update_block(
        world,
        block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        text="A second text",
        checked=True,
        language="A second language",
    )
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "290443f2-73c5-4cb8-b07f-14d34bf54fdb"
    assert _changed(before, after) == {
        "text": "A second text",
        "checked": 1,
        "language": "A second language",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "block": {
            "id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            "type": "bulleted_list_item",
            "parent": {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e"},
            "in_trash": False,
            "text": "A second text",
            "checked": True,
            "language": "A second language",
            "content": None,
            "position": 1,
            "url": None,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-21T12:29:58Z",
            "last_edited_time": now,
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["checked"] is True
    assert result["block"]["has_children"] is False


def test_update_block__with_several_3(world):
    """With block_id, in_trash, language and more: changes 1 of blocks and changes 1 of pages, and nothing else …"""
    now = world.now()
    result = tools.update_block(
        world,
        block_id="0b65ac60-5cd0-425b-84c2-d1e3cf55be53",
        in_trash=True,
        language="A second language",
        url="https://example.org/notes",
        content={"note": "checked"},
    )
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "0b65ac60-5cd0-425b-84c2-d1e3cf55be53"
    assert _changed(before, after) == {
        "in_trash": 1,
        "language": "A second language",
        "content": '{"note":"checked"}',
        "url": "https://example.org/notes",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "6775880b-dce8-465f-933b-9ff18e88b047"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "block": {
            "id": "0b65ac60-5cd0-425b-84c2-d1e3cf55be53",
            "type": "bookmark",
            "parent": {"page_id": "6775880b-dce8-465f-933b-9ff18e88b047"},
            "in_trash": True,
            "text": "Drawings, quotes and pictures",
            "checked": None,
            "language": "A second language",
            "content": {"note": "checked"},
            "position": 8,
            "url": "https://example.org/notes",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-06-03T14:43:24Z",
            "last_edited_time": now,
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is True
    assert result["block"]["has_children"] is False


def test_update_block__with_checked_and_content(world):
    """With block_id, checked and content: changes 1 of blocks and changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.update_block(
        world,
        block_id="00c2a500-2f33-40ab-bc9a-bc99f9a9a25f",
        checked=False,
        content={"note": "checked"},
    )
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "00c2a500-2f33-40ab-bc9a-bc99f9a9a25f"
    assert _changed(before, after) == {
        "checked": 0,
        "content": '{"note":"checked"}',
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "5c70f8bc-cafe-49dc-875a-25a203cf780c"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "block": {
            "id": "00c2a500-2f33-40ab-bc9a-bc99f9a9a25f",
            "type": "divider",
            "parent": {"page_id": "5c70f8bc-cafe-49dc-875a-25a203cf780c"},
            "in_trash": False,
            "text": None,
            "checked": False,
            "language": None,
            "content": {"note": "checked"},
            "position": 10,
            "url": None,
            "created_by": "12c25a00-60e9-43f0-ae71-278635f8740a",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-02T14:33:46Z",
            "last_edited_time": now,
            "has_children": False,
        },
    }
    assert result["block"]["in_trash"] is False
    assert result["block"]["checked"] is False
    assert result["block"]["has_children"] is False


def test_update_block__invalid_argument(world):
    """There is nothing to change: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "There is nothing to change."
    assert caught.value.hint
    assert not changes(world)


def test_update_block__not_allowed(world):
    """The page 'Birthday list' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="1473b858-c5bd-4b60-b64c-7016849ae692")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Birthday list' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_update_block__not_found(world):
    """There is no block with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="00000000-0000-0000-0000-000000000000", in_trash=True)
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no block with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_block__invalid_argument_2(world):
    """A divider has no text: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="00c2a500-2f33-40ab-bc9a-bc99f9a9a25f", in_trash=True, text="Checked text")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "A divider has no text."
    assert caught.value.hint
    assert not changes(world)


def test_update_block__invalid_argument_3(world):
    """A toggle has no url: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", url="https://example.org/notes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "A toggle has no url."
    assert caught.value.hint
    assert not changes(world)


def test_update_block__not_allowed_2(world):
    """The block is in the trash: nothing changes."""
    tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True)
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The block is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_block__invalid_argument_4(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="   ", in_trash=True)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True, checked="yes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(
            world,
            block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e",
            in_trash=True,
            content="not an object",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash="yes")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True, language="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True, text="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True, url="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e", in_trash=True, url="not-a-date")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_delete_block__success(world):
    """With block_id: changes 1 of blocks and changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.delete_block(world, block_id="62d92070-01bd-4a51-8c2e-b103eef1ad4e")
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "62d92070-01bd-4a51-8c2e-b103eef1ad4e"
    assert _changed(before, after) == {
        "in_trash": 1,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {"block_id": "62d92070-01bd-4a51-8c2e-b103eef1ad4e", "deleted": True}
    assert result["deleted"] is True


def test_delete_block__success_2(world):
    """With block_id: changes 1 of blocks and changes 1 of pages, and nothing else changes."""
    now = world.now()
    result = tools.delete_block(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    made = changes(world)
    assert _counts(made) == {"blocks": (0, 1, 0), "pages": (0, 1, 0)}
    ((before, after),) = made["blocks"]["updated"]
    assert before["id"] == "290443f2-73c5-4cb8-b07f-14d34bf54fdb"
    assert _changed(before, after) == {
        "in_trash": 1,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["pages"]["updated"]
    assert before["id"] == "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {"block_id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb", "deleted": True}
    assert result["deleted"] is True


def test_delete_block__conflict(world):
    """The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.delete_block(world, block_id="1473b858-c5bd-4b60-b64c-7016849ae692")
    assert caught.value.code == "conflict"
    assert caught.value.message == "The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_delete_block__not_found(world):
    """There is no block with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.delete_block(world, block_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no block with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_delete_block__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.delete_block(world, block_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_comments__with_page_id_and_page_size(world):
    """With page_id and page_size: 2 rows fit."""
    page = tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", page_size=1)
    expected = world.query(
        "SELECT id "
        "FROM comments "
        "WHERE parent_page_id IS ? "
        "ORDER BY created_time, id LIMIT 2",
        ["9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "id": "002287ae-5f08-4d69-a85f-2f8eb0734a0c",
            "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
            "text": "What about people who start at six in summer?",
            "discussion_id": "2ac3a656-0944-4481-9dc3-6af0cf1770df",
            "display_name": None,
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "created_time": "2024-05-01T13:53:14Z",
            "last_edited_time": "2024-05-01T13:53:14Z",
            "created_by_name": "Ellie Sidwell",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_list_comments__with_block_id(world):
    """With block_id: 2 rows fit."""
    page = tools.list_comments(world, block_id="9852a0ba-c0a3-42ec-98a3-073bb1b906f8")
    expected = world.query(
        "SELECT id "
        "FROM comments "
        "WHERE parent_block_id IS ? "
        "ORDER BY created_time, id LIMIT 21",
        ["9852a0ba-c0a3-42ec-98a3-073bb1b906f8"],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["items"] == [
        {
            "id": "b3f6459c-b531-4157-b520-eaa1418d6c0c",
            "parent": {"block_id": "9852a0ba-c0a3-42ec-98a3-073bb1b906f8"},
            "text": "What do we do with the old ones on the shelf?",
            "discussion_id": "667ba028-6413-415a-b68b-8fff2e9fbf83",
            "display_name": None,
            "created_by": "5385c03c-8f58-424e-b271-edd4d3683d8b",
            "created_time": "2025-02-27T15:20:36Z",
            "last_edited_time": "2025-02-27T15:20:36Z",
            "created_by_name": "Tom Tregear",
        },
        {
            "id": "052c7785-e2dc-4003-b29e-ebccf4c8faf6",
            "parent": {"block_id": "9852a0ba-c0a3-42ec-98a3-073bb1b906f8"},
            "text": "Sell them with a note and a better price.",
            "discussion_id": "667ba028-6413-415a-b68b-8fff2e9fbf83",
            "display_name": None,
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "created_time": "2025-03-03T12:23:17Z",
            "last_edited_time": "2025-03-03T12:23:17Z",
            "created_by_name": "Ellie Sidwell",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_comments__with_page_id(world):
    """With page_id: no row fits."""
    page = tools.list_comments(world, page_id="5c70f8bc-cafe-49dc-875a-25a203cf780c")
    expected = world.query(
        "SELECT id "
        "FROM comments "
        "WHERE parent_page_id IS ? "
        "ORDER BY created_time, id LIMIT 21",
        ["5c70f8bc-cafe-49dc-875a-25a203cf780c"],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_comments__with_page_id_and_page_size_2(world):
    """With page_id and page_size: 2 rows fit."""
    page = tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", page_size=2)
    expected = world.query(
        "SELECT id "
        "FROM comments "
        "WHERE parent_page_id IS ? "
        "ORDER BY created_time, id LIMIT 3",
        ["9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:2]]
    assert page["has_more"] is (len(expected) > 2)
    assert page["items"] == [
        {
            "id": "002287ae-5f08-4d69-a85f-2f8eb0734a0c",
            "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
            "text": "What about people who start at six in summer?",
            "discussion_id": "2ac3a656-0944-4481-9dc3-6af0cf1770df",
            "display_name": None,
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "created_time": "2024-05-01T13:53:14Z",
            "last_edited_time": "2024-05-01T13:53:14Z",
            "created_by_name": "Ellie Sidwell",
        },
        {
            "id": "6ba648ef-20ab-4bc9-a21b-0b18f53fffec",
            "parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"},
            "text": "Agree it with your lead, then it is fine.",
            "discussion_id": "2ac3a656-0944-4481-9dc3-6af0cf1770df",
            "display_name": None,
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "created_time": "2024-05-01T15:13:30Z",
            "last_edited_time": "2024-05-01T15:13:30Z",
            "created_by_name": "Daisy Oakley",
        },
    ]
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_comments__with_block_id_2(world):
    """With block_id: no row fits."""
    page = tools.list_comments(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    expected = world.query(
        "SELECT id "
        "FROM comments "
        "WHERE parent_block_id IS ? "
        "ORDER BY created_time, id LIMIT 21",
        ["290443f2-73c5-4cb8-b07f-14d34bf54fdb"],
    )
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:20]]
    assert page["has_more"] is (len(expected) > 20)
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_comments__paging(world):
    """The pages of 2 together hold the same 6 items, in the same order."""
    whole = tools.list_comments(world, page_id="024bf0f7-6a41-4df1-9869-e08e065fc20d", page_size=6)
    assert len(whole["items"]) == 6
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_comments(world, page_id="024bf0f7-6a41-4df1-9869-e08e065fc20d", page_size=2)
    assert first["items"] == whole["items"][:2]
    assert first["has_more"] is True
    items = _all_pages(
        tools.list_comments, world, first, "start_cursor",
        page_id="024bf0f7-6a41-4df1-9869-e08e065fc20d",
        page_size=2,
    )
    assert items == whole["items"]
    most = tools.list_comments(world, page_id="024bf0f7-6a41-4df1-9869-e08e065fc20d", page_size=5)
    assert most["has_more"] is True


def test_list_comments__invalid_argument(world):
    """Give exactly one of page_id and block_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world)
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give exactly one of page_id and block_id."
    assert caught.value.hint
    assert not changes(world)


def test_list_comments__not_found(world):
    """The page 'Birthday list' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="45b2d131-7284-40df-ae6e-bbe7e956d8ee")
    assert caught.value.code == "not_found"
    assert caught.value.message == "The page 'Birthday list' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_list_comments__not_found_2(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_list_comments__not_found_3(world):
    """The block '290443f2-73c5-4cb8-b07f-14d34bf54fdb' is in the trash: nothing changes."""
    world.execute("UPDATE blocks SET in_trash = ? WHERE id = ?", [1, "290443f2-73c5-4cb8-b07f-14d34bf54fdb"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    assert caught.value.code == "not_found"
    assert caught.value.message == "The block '290443f2-73c5-4cb8-b07f-14d34bf54fdb' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_list_comments__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", block_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", start_cursor="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_comments(world, page_id="9f89cf1f-47de-41f1-85a8-e8bc3d44a92b", start_cursor="no-such-cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_comment__success(world):
    """With comment_id: the result is what the rows say."""
    result = tools.retrieve_comment(world, comment_id="052c7785-e2dc-4003-b29e-ebccf4c8faf6")
    (row,) = world.query("SELECT * FROM comments WHERE id = ?", ["052c7785-e2dc-4003-b29e-ebccf4c8faf6"])
    assert result["comment"] == _columns(
        row,
        "id", "text", "discussion_id", "display_name", "created_by", "created_time", "last_edited_time",
    ) | {"parent": {"block_id": "9852a0ba-c0a3-42ec-98a3-073bb1b906f8"}}
    assert not changes(world)


def test_retrieve_comment__success_2(world):
    """With comment_id: the result is what the rows say."""
    result = tools.retrieve_comment(world, comment_id="002287ae-5f08-4d69-a85f-2f8eb0734a0c")
    (row,) = world.query("SELECT * FROM comments WHERE id = ?", ["002287ae-5f08-4d69-a85f-2f8eb0734a0c"])
    assert result["comment"] == _columns(
        row,
        "id", "text", "discussion_id", "display_name", "created_by", "created_time", "last_edited_time",
    ) | {"parent": {"page_id": "9f89cf1f-47de-41f1-85a8-e8bc3d44a92b"}}
    assert not changes(world)


def test_retrieve_comment__not_found(world):
    """There is no comment with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_comment(world, comment_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no comment with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_comment__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_comment(world, comment_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__with_parent_page_id_and_display_name(world):
    """With text, parent_page_id and display_name: adds 1 of comments, and nothing else changes."""
    now = world.now()
    result = tools.create_comment(
        world,
        text="Checked text",
        parent_page_id="01ecddda-86b3-448b-9e6f-e14b81077ed6",
        display_name="Checked display name",
    )
    made = changes(world)
    new_comment = made["comments"]["inserted"][0]["id"]
    new_discussion_id = made["comments"]["inserted"][0]["discussion_id"]
    assert _counts(made) == {"comments": (1, 0, 0)}
    assert made["comments"]["inserted"] == [{
        "id": new_comment,
        "parent_type": "page",
        "parent_page_id": "01ecddda-86b3-448b-9e6f-e14b81077ed6",
        "parent_block_id": None,
        "text": "Checked text",
        "discussion_id": new_discussion_id,
        "display_name": "Checked display name",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "comment": {
            "id": new_comment,
            "parent": {"page_id": "01ecddda-86b3-448b-9e6f-e14b81077ed6"},
            "text": "Checked text",
            "discussion_id": new_discussion_id,
            "display_name": "Checked display name",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    }


def test_create_comment__with_discussion_id(world):
    """With text and discussion_id: adds 1 of comments, and nothing else changes."""
    now = world.now()
    result = tools.create_comment(world, text="Checked text", discussion_id="38e2f4f3-0762-4020-b954-ac71165c841b")
    made = changes(world)
    new_comment = made["comments"]["inserted"][0]["id"]
    assert _counts(made) == {"comments": (1, 0, 0)}
    assert made["comments"]["inserted"] == [{
        "id": new_comment,
        "parent_type": "block",
        "parent_page_id": None,
        "parent_block_id": "9e70c31d-5c95-4151-a115-9f2f2b2a9c9e",
        "text": "Checked text",
        "discussion_id": "38e2f4f3-0762-4020-b954-ac71165c841b",
        "display_name": None,
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "comment": {
            "id": new_comment,
            "parent": {"block_id": "9e70c31d-5c95-4151-a115-9f2f2b2a9c9e"},
            "text": "Checked text",
            "discussion_id": "38e2f4f3-0762-4020-b954-ac71165c841b",
            "display_name": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    }


def test_create_comment__with_parent_block_id(world):
    """With text and parent_block_id: adds 1 of comments, and nothing else changes."""
    now = world.now()
    result = tools.create_comment(world, text="Checked text", parent_block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    made = changes(world)
    new_comment = made["comments"]["inserted"][0]["id"]
    new_discussion_id = made["comments"]["inserted"][0]["discussion_id"]
    assert _counts(made) == {"comments": (1, 0, 0)}
    assert made["comments"]["inserted"] == [{
        "id": new_comment,
        "parent_type": "block",
        "parent_page_id": None,
        "parent_block_id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        "text": "Checked text",
        "discussion_id": new_discussion_id,
        "display_name": None,
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "comment": {
            "id": new_comment,
            "parent": {"block_id": "290443f2-73c5-4cb8-b07f-14d34bf54fdb"},
            "text": "Checked text",
            "discussion_id": new_discussion_id,
            "display_name": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
    }


def test_create_comment__invalid_argument(world):
    """Give exactly one of parent_page_id, parent_block_id and discussion_id: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "Give exactly one of parent_page_id, parent_block_id and discussion_id."
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__not_allowed(world):
    """The page 'Birthday list' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", parent_page_id="45b2d131-7284-40df-ae6e-bbe7e956d8ee")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Birthday list' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__not_found(world):
    """There is no block with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", parent_block_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no block with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__not_allowed_2(world):
    """The page 'Brief: Spare parts in the web shop' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", parent_page_id="5c70f8bc-cafe-49dc-875a-25a203cf780c")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Brief: Spare parts in the web shop' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__not_allowed_3(world):
    """The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", parent_block_id="1473b858-c5bd-4b60-b64c-7016849ae692")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The block '1473b858-c5bd-4b60-b64c-7016849ae692' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_create_comment__not_allowed_4(world):
    """The block '9e70c31d-5c95-4151-a115-9f2f2b2a9c9e' is in the trash: nothing changes."""
    world.execute("UPDATE blocks SET in_trash = ? WHERE id = ?", [1, "9e70c31d-5c95-4151-a115-9f2f2b2a9c9e"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", discussion_id="38e2f4f3-0762-4020-b954-ac71165c841b")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The block '9e70c31d-5c95-4151-a115-9f2f2b2a9c9e' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_create_comment__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_comment(
            world,
            text="Checked text",
            parent_block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            discussion_id="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_comment(
            world,
            text="Checked text",
            parent_block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
            display_name="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="Checked text", parent_block_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_comment(
            world,
            text="Checked text",
            parent_page_id="   ",
            parent_block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_comment(world, text="   ", parent_block_id="290443f2-73c5-4cb8-b07f-14d34bf54fdb")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_comment__success(world):
    """With comment_id and text: changes 1 of comments, and nothing else changes."""
    now = world.now()
    world.execute(
        "UPDATE comments SET created_by = ? WHERE id = ?",
        ["296db41b-1667-44aa-9e81-e0555ec885ad", "052c7785-e2dc-4003-b29e-ebccf4c8faf6"],
    )
    result = tools.update_comment(world, comment_id="052c7785-e2dc-4003-b29e-ebccf4c8faf6", text="Checked text")
    made = changes(world)
    assert _counts(made) == {"comments": (0, 1, 0)}
    ((before, after),) = made["comments"]["updated"]
    assert before["id"] == "052c7785-e2dc-4003-b29e-ebccf4c8faf6"
    assert _changed(before, after) == {
        "text": "Checked text",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "comment": {
            "id": "052c7785-e2dc-4003-b29e-ebccf4c8faf6",
            "parent": {"block_id": "9852a0ba-c0a3-42ec-98a3-073bb1b906f8"},
            "text": "Checked text",
            "discussion_id": "667ba028-6413-415a-b68b-8fff2e9fbf83",
            "display_name": None,
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2025-03-03T12:23:17Z",
            "last_edited_time": now,
        },
    }


def test_update_comment__not_allowed(world):
    """The comment was written by somebody else: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_comment(world, comment_id="052c7785-e2dc-4003-b29e-ebccf4c8faf6", text="Checked text")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The comment was written by somebody else."
    assert caught.value.hint
    assert not changes(world)


def test_update_comment__not_found(world):
    """There is no comment with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_comment(world, comment_id="00000000-0000-0000-0000-000000000000", text="Checked text")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no comment with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_comment__not_allowed_2(world):
    """The block '9852a0ba-c0a3-42ec-98a3-073bb1b906f8' is in the trash: nothing changes."""
    world.execute(
        "UPDATE comments SET created_by = ? WHERE id = ?",
        ["296db41b-1667-44aa-9e81-e0555ec885ad", "052c7785-e2dc-4003-b29e-ebccf4c8faf6"],
    )
    world.execute("UPDATE blocks SET in_trash = ? WHERE id = ?", [1, "9852a0ba-c0a3-42ec-98a3-073bb1b906f8"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_comment(world, comment_id="052c7785-e2dc-4003-b29e-ebccf4c8faf6", text="Checked text")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The block '9852a0ba-c0a3-42ec-98a3-073bb1b906f8' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_comment__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_comment(world, comment_id="   ", text="Checked text")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_comment(world, comment_id="052c7785-e2dc-4003-b29e-ebccf4c8faf6", text="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_data_source__success(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="e83a51d1-4480-4c7e-b92b-266a4df0be05")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["e83a51d1-4480-4c7e-b92b-266a4df0be05"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Issue": {"id": "r4dw", "type": "title"},
        "State": {
            "id": "9htz",
            "type": "status",
            "options": ["New", "Confirmed", "Being fixed", "Fixed", "Won't fix", "Duplicate"],
        },
        "Concerns": {
            "id": "h9q3",
            "type": "select",
            "options": ["Heron", "Wren", "Bittern", "Dipper", "Plover", "Web shop"],
        },
        "Severity": {"id": "pfuk", "type": "select", "options": ["Dangerous", "Unusable", "Annoying", "Cosmetic"]},
        "Fixer": {"id": "jmm7", "type": "people"},
        "Found on": {"id": "su7m", "type": "date"},
        "Closed on": {"id": "gwj8", "type": "date"},
        "Times reported": {"id": "rcfr", "type": "number"},
        "Batches": {"id": "2uzq", "type": "rich_text"},
        "First told by": {"id": "czee", "type": "relation", "data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50"},
        "Warn customers": {"id": "e2sv", "type": "checkbox"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True
    assert not changes(world)


def test_retrieve_data_source__success_2(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["9e66851d-b0f9-4af8-a823-9d0997b04d50"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Organisation": {"id": "smjy", "type": "title"},
        "Relationship": {
            "id": "xecm",
            "type": "status",
            "options": ["Lead", "Talking", "Sample out", "Customer", "Dormant", "Lost"],
        },
        "Looked after by": {"id": "geba", "type": "people"},
        "Sort": {
            "id": "xmif",
            "type": "select",
            "options": [
                "Outdoor shop", "Bike shop", "Rescue team", "Council or school", "Rental and events", "Boatyard",
            ],
        },
        "Region": {
            "id": "w2j4",
            "type": "select",
            "options": ["South West", "Wales", "Midlands", "North", "Scotland", "South East", "Ireland"],
        },
        "Yearly value (GBP)": {"id": "hnud", "type": "number"},
        "Contact": {"id": "xwud", "type": "rich_text"},
        "Contact e-mail": {"id": "39fy", "type": "email"},
        "Telephone": {"id": "h5w4", "type": "phone_number"},
        "Next call": {"id": "cc2a", "type": "date"},
        "Web site": {"id": "qqe8", "type": "url"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False
    assert not changes(world)


def test_retrieve_data_source__success_3(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["d4acf16c-4eca-417a-a874-7c3c19732f2a"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Task": {"id": "xmup", "type": "title"},
        "Status": {
            "id": "xgbq",
            "type": "status",
            "options": ["Not started", "In progress", "Blocked", "Done", "Dropped"],
        },
        "Assignee": {"id": "636c", "type": "people"},
        "Part of": {"id": "4c54", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
        "Due": {"id": "t62y", "type": "date"},
        "Done on": {"id": "fane", "type": "date"},
        "Priority": {"id": "fpw8", "type": "select", "options": ["Urgent", "High", "Normal", "Low"]},
        "Estimate (h)": {"id": "vmsb", "type": "number"},
        "Waiting for": {"id": "e56y", "type": "rich_text"},
        "Labels": {
            "id": "ki2f",
            "type": "multi_select",
            "options": ["quick win", "needs a supplier", "customer promise", "safety", "paperwork"],
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False
    assert not changes(world)


def test_retrieve_data_source__success_4(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["ada9bb2a-7518-42f5-9613-7cd98cbca4af"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Project": {"id": "ds2w", "type": "title"},
        "Stage": {
            "id": "3jbk",
            "type": "status",
            "options": ["Idea", "Planned", "Active", "On hold", "Shipped", "Stopped"],
        },
        "Lead": {"id": "rwty", "type": "people"},
        "Run by": {"id": "k9jn", "type": "select", "options": ["Product", "Operations", "Sales", "Care", "Company"]},
        "Kick-off": {"id": "rkku", "type": "date"},
        "Target date": {"id": "engb", "type": "date"},
        "Shipped on": {"id": "g6wq", "type": "date"},
        "Budget (GBP)": {"id": "kxj5", "type": "number"},
        "Goal": {"id": "y7b5", "type": "rich_text"},
        "Drive folder": {"id": "dhvu", "type": "url"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False
    assert not changes(world)


def test_retrieve_data_source__success_5(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="06d55244-726b-44d2-a22c-981b491a8da8")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["06d55244-726b-44d2-a22c-981b491a8da8"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Candidate": {"id": "gmbw", "type": "title"},
        "Step": {
            "id": "j9nz",
            "type": "status",
            "options": ["Applied", "Phone call", "Workshop day", "Offer made", "Hired", "Turned down", "Withdrew"],
        },
        "Opening": {
            "id": "z6s7",
            "type": "select",
            "options": [
                "Firmware engineer (part-time)", "Assembly technician", "Customer care (maternity cover)", "Apprentice",
            ],
        },
        "Hiring manager": {"id": "3wxc", "type": "people"},
        "Applied on": {"id": "fgt4", "type": "date"},
        "Talks on": {"id": "kwuz", "type": "date"},
        "Came through": {
            "id": "8sin",
            "type": "select",
            "options": ["Job board", "Recommended", "College", "Wrote to us"],
        },
        "E-mail": {"id": "amzr", "type": "email"},
        "Impression": {"id": "3gp4", "type": "rich_text"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True
    assert not changes(world)


def test_retrieve_data_source__success_6(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["38c3b4d9-020d-4d01-b608-ec8f7409cd14"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Piece": {"id": "4wnk", "type": "title"},
        "Progress": {
            "id": "3v4r",
            "type": "status",
            "options": ["Pitch", "Writing", "With a reader", "Scheduled", "Published", "Scrapped"],
        },
        "Writer": {"id": "9rkd", "type": "people"},
        "Reader": {"id": "7t24", "type": "people"},
        "Channel": {
            "id": "q9pn",
            "type": "select",
            "options": ["Journal", "Newsletter", "Instagram", "Trade press", "Product page"],
        },
        "Goes out on": {"id": "bqed", "type": "date"},
        "Themes": {
            "id": "cwtj",
            "type": "multi_select",
            "options": [
                "repair", "how it is made", "people who use it", "new lamp", "safety on the road", "behind the bench",
            ],
        },
        "Published at": {"id": "ig3w", "type": "url"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False
    assert not changes(world)


def test_retrieve_data_source__success_7(world):
    """With data_source_id: the result is what the rows say."""
    result = tools.retrieve_data_source(world, data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62")
    (row,) = world.query("SELECT * FROM data_sources WHERE id = ?", ["bdf3e96a-6ba4-413f-8093-83f34f172b62"])
    assert result["data_source"] == _columns(
        row,
        "id", "title", "database_id", "in_trash", "description", "is_inline", "icon", "cover", "url", "created_by",
        "last_edited_by", "created_time", "last_edited_time", flags=("in_trash", "is_inline"),
    )
    assert result["properties"] == {
        "Meeting": {"id": "525d", "type": "title"},
        "Held on": {"id": "sg3i", "type": "date"},
        "Series": {
            "id": "969t",
            "type": "select",
            "options": ["Product weekly", "Operations weekly", "Sales and care", "All hands", "Project meeting"],
        },
        "Attendees": {"id": "isus", "type": "people"},
        "About": {"id": "wbvb", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
        "Minutes agreed": {"id": "7t62", "type": "checkbox"},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True
    assert not changes(world)


def test_retrieve_data_source__not_found(world):
    """There is no data source with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_data_source(world, data_source_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no data source with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_data_source__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_data_source(world, data_source_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_data_source__with_icon_and_properties(world):
    """With database_id, title, icon and properties: adds 1 of data_sources, adds 2 of properties and adds 2 of …"""
    now = world.now()
    result = tools.create_data_source(
        world,
        database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
        title="Checked title",
        icon="Checked icon",
        properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
    )
    made = changes(world)
    new_data_source = made["data_sources"]["inserted"][0]["id"]
    new_property_1, new_property_2 = [row["id"] for row in made["properties"]["inserted"]]
    new_property_option_1, new_property_option_2 = [row["id"] for row in made["property_options"]["inserted"]]
    assert _counts(made) == {"data_sources": (1, 0, 0), "properties": (2, 0, 0), "property_options": (2, 0, 0)}
    assert made["data_sources"]["inserted"] == [{
        "id": new_data_source,
        "title": "Checked title",
        "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
        "in_trash": 0,
        "description": None,
        "is_inline": 0,
        "icon": "Checked icon",
        "cover": None,
        "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["properties"]["inserted"] == [
        {
            "id": new_property_1,
            "data_source_id": new_data_source,
            "name": "Name",
            "type": "title",
            "position": 1,
            "related_data_source_id": None,
        },
        {
            "id": new_property_2,
            "data_source_id": new_data_source,
            "name": "Stage",
            "type": "select",
            "position": 0,
            "related_data_source_id": None,
        },
    ]
    assert made["property_options"]["inserted"] == [
        {"id": new_property_option_1, "property_id": new_property_2, "name": "Second", "color": None, "position": 1},
        {"id": new_property_option_2, "property_id": new_property_2, "name": "First", "color": None, "position": 0},
    ]
    assert result == {
        "data_source": {
            "id": new_data_source,
            "title": "Checked title",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": None,
            "is_inline": False,
            "icon": "Checked icon",
            "cover": None,
            "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Stage": {"id": new_property_2, "type": "select", "options": ["First", "Second"]},
            "Name": {"id": new_property_1, "type": "title"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_create_data_source__with_properties(world):
    """With database_id, title and properties: adds 1 of data_sources and adds 2 of properties, and nothing else …"""
    now = world.now()
    result = tools.create_data_source(
        world,
        database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
        title="Checked title",
        properties={"Linked": {"type": "relation", "data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"}},
    )
    made = changes(world)
    new_data_source = made["data_sources"]["inserted"][0]["id"]
    new_property_1, new_property_2 = [row["id"] for row in made["properties"]["inserted"]]
    assert _counts(made) == {"data_sources": (1, 0, 0), "properties": (2, 0, 0)}
    assert made["data_sources"]["inserted"] == [{
        "id": new_data_source,
        "title": "Checked title",
        "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
        "in_trash": 0,
        "description": None,
        "is_inline": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["properties"]["inserted"] == [
        {
            "id": new_property_1,
            "data_source_id": new_data_source,
            "name": "Name",
            "type": "title",
            "position": 1,
            "related_data_source_id": None,
        },
        {
            "id": new_property_2,
            "data_source_id": new_data_source,
            "name": "Linked",
            "type": "relation",
            "position": 0,
            "related_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
        },
    ]
    assert result == {
        "data_source": {
            "id": new_data_source,
            "title": "Checked title",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": None,
            "is_inline": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Linked": {
                "id": new_property_2,
                "type": "relation",
                "data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
            },
            "Name": {"id": new_property_1, "type": "title"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_create_data_source__with_properties_2(world):
    """With database_id, title and properties: adds 1 of data_sources and adds 2 of properties, and nothing else …"""
    now = world.now()
    result = tools.create_data_source(
        world,
        database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
        title="Checked title",
        properties={"Heading": {"type": "title"}, "Estimate": {"type": "number"}},
    )
    made = changes(world)
    new_data_source = made["data_sources"]["inserted"][0]["id"]
    new_property_1, new_property_2 = [row["id"] for row in made["properties"]["inserted"]]
    assert _counts(made) == {"data_sources": (1, 0, 0), "properties": (2, 0, 0)}
    assert made["data_sources"]["inserted"] == [{
        "id": new_data_source,
        "title": "Checked title",
        "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
        "in_trash": 0,
        "description": None,
        "is_inline": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert made["properties"]["inserted"] == [
        {
            "id": new_property_1,
            "data_source_id": new_data_source,
            "name": "Estimate",
            "type": "number",
            "position": 1,
            "related_data_source_id": None,
        },
        {
            "id": new_property_2,
            "data_source_id": new_data_source,
            "name": "Heading",
            "type": "title",
            "position": 0,
            "related_data_source_id": None,
        },
    ]
    assert result == {
        "data_source": {
            "id": new_data_source,
            "title": "Checked title",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": None,
            "is_inline": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {
            "Heading": {"id": new_property_2, "type": "title"},
            "Estimate": {"id": new_property_1, "type": "number"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_create_data_source__success(world):
    """With database_id and title: adds 1 of data_sources, and nothing else changes."""
    now = world.now()
    result = tools.create_data_source(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", title="Checked title")
    made = changes(world)
    new_data_source = made["data_sources"]["inserted"][0]["id"]
    assert _counts(made) == {"data_sources": (1, 0, 0)}
    assert made["data_sources"]["inserted"] == [{
        "id": new_data_source,
        "title": "Checked title",
        "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
        "in_trash": 0,
        "description": None,
        "is_inline": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
        "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "data_source": {
            "id": new_data_source,
            "title": "Checked title",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": None,
            "is_inline": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_data_source.replace('-', '')}",
            "created_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": now,
            "last_edited_time": now,
        },
        "properties": {},
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_create_data_source__not_found(world):
    """There is no database with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="00000000-0000-0000-0000-000000000000",
            title="Checked title",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no database with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_create_data_source__conflict(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Heading": {"type": "title"}, "Second": {"type": "title"}},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_create_data_source__not_found_2(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"no such property": None},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_create_data_source__not_found_3(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Linked": {"type": "relation", "data_source_id": "no-such-id"}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_create_data_source__not_allowed(world):
    """The database 'Meetings' is in the trash: nothing changes."""
    world.execute("UPDATE databases SET in_trash = ? WHERE id = ?", [1, "199a25c5-876c-46ed-a393-fe1631b1368e"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", title="Checked title")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The database 'Meetings' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_create_data_source__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="   ",
            title="Checked title",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            icon="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties="not an object",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Estimate": {"type": "no such type"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Estimate": {"type": "number", "options": ["First"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Linked": {"type": "relation", "data_source_id": 7}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_data_source(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            properties={"Estimate": {"kind": "number"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__with_several(world):
    """With data_source_id, database_id, in_trash and properties: changes 1 of data_sources, adds 1 of properties …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="e83a51d1-4480-4c7e-b92b-266a4df0be05",
        database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
        in_trash=True,
        properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
    )
    made = changes(world)
    new_property = made["properties"]["inserted"][0]["id"]
    new_property_option_1, new_property_option_2 = [row["id"] for row in made["property_options"]["inserted"]]
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (1, 0, 0), "property_options": (2, 0, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "e83a51d1-4480-4c7e-b92b-266a4df0be05"
    assert _changed(before, after) == {
        "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
        "in_trash": 1,
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert made["properties"]["inserted"] == [{
        "id": new_property,
        "data_source_id": "e83a51d1-4480-4c7e-b92b-266a4df0be05",
        "name": "Stage",
        "type": "select",
        "position": 11,
        "related_data_source_id": None,
    }]
    assert made["property_options"]["inserted"] == [
        {"id": new_property_option_1, "property_id": new_property, "name": "Second", "color": None, "position": 1},
        {"id": new_property_option_2, "property_id": new_property, "name": "First", "color": None, "position": 0},
    ]
    assert result == {
        "data_source": {
            "id": "e83a51d1-4480-4c7e-b92b-266a4df0be05",
            "title": "Issues",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": True,
            "description": (
                "Faults that came back more than once, or once and badly. Single repairs live in the repair book."
            ),
            "is_inline": True,
            "icon": "🐞",
            "cover": None,
            "url": "https://workspace.example/e83a51d144804c7eb92b266a4df0be05",
            "created_by": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-01T09:42:43Z",
            "last_edited_time": now,
        },
        "properties": {
            "Issue": {"id": "r4dw", "type": "title"},
            "State": {
                "id": "9htz",
                "type": "status",
                "options": ["New", "Confirmed", "Being fixed", "Fixed", "Won't fix", "Duplicate"],
            },
            "Concerns": {
                "id": "h9q3",
                "type": "select",
                "options": ["Heron", "Wren", "Bittern", "Dipper", "Plover", "Web shop"],
            },
            "Severity": {"id": "pfuk", "type": "select", "options": ["Dangerous", "Unusable", "Annoying", "Cosmetic"]},
            "Fixer": {"id": "jmm7", "type": "people"},
            "Found on": {"id": "su7m", "type": "date"},
            "Closed on": {"id": "gwj8", "type": "date"},
            "Times reported": {"id": "rcfr", "type": "number"},
            "Batches": {"id": "2uzq", "type": "rich_text"},
            "First told by": {
                "id": "czee",
                "type": "relation",
                "data_source_id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
            },
            "Warn customers": {"id": "e2sv", "type": "checkbox"},
            "Stage": {"id": new_property, "type": "select", "options": ["First", "Second"]},
        },
    }
    assert result["data_source"]["in_trash"] is True
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties(world):
    """With data_source_id and properties: changes 1 of data_sources and adds 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        properties={"Linked": {"type": "relation", "data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"}},
    )
    made = changes(world)
    new_property = made["properties"]["inserted"][0]["id"]
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (1, 0, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "d4acf16c-4eca-417a-a874-7c3c19732f2a"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert made["properties"]["inserted"] == [{
        "id": new_property,
        "data_source_id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
        "name": "Linked",
        "type": "relation",
        "position": 10,
        "related_data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
    }]
    assert result == {
        "data_source": {
            "id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
            "title": "Tasks",
            "database_id": "eb117302-4d64-42f8-9a49-146812e002d6",
            "in_trash": False,
            "description": "One task, one assignee, one due date. Chat messages do not count as tasks.",
            "is_inline": False,
            "icon": "✅",
            "cover": None,
            "url": "https://workspace.example/d4acf16c4eca417aa8747c3c19732f2a",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-19T09:39:07Z",
            "last_edited_time": now,
        },
        "properties": {
            "Task": {"id": "xmup", "type": "title"},
            "Status": {
                "id": "xgbq",
                "type": "status",
                "options": ["Not started", "In progress", "Blocked", "Done", "Dropped"],
            },
            "Assignee": {"id": "636c", "type": "people"},
            "Part of": {"id": "4c54", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "Due": {"id": "t62y", "type": "date"},
            "Done on": {"id": "fane", "type": "date"},
            "Priority": {"id": "fpw8", "type": "select", "options": ["Urgent", "High", "Normal", "Low"]},
            "Estimate (h)": {"id": "vmsb", "type": "number"},
            "Waiting for": {"id": "e56y", "type": "rich_text"},
            "Labels": {
                "id": "ki2f",
                "type": "multi_select",
                "options": ["quick win", "needs a supplier", "customer promise", "safety", "paperwork"],
            },
            "Linked": {
                "id": new_property,
                "type": "relation",
                "data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8",
            },
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_2(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50",
        properties={"Telephone": {"name": "Telephone (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "9e66851d-b0f9-4af8-a823-9d0997b04d50"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "h5w4"
    assert _changed(before, after) == {"name": "Telephone (renamed)"}
    assert result == {
        "data_source": {
            "id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
            "title": "Accounts",
            "database_id": "d58e0d35-fa19-4355-bc0c-8464db7eff5c",
            "in_trash": False,
            "description": "Shops, rental firms, rescue teams and councils that buy from us, or should.",
            "is_inline": False,
            "icon": "🤝",
            "cover": None,
            "url": "https://workspace.example/9e66851db0f94af8a8239d0997b04d50",
            "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-29T11:36:22Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": {"id": "smjy", "type": "title"},
            "Relationship": {
                "id": "xecm",
                "type": "status",
                "options": ["Lead", "Talking", "Sample out", "Customer", "Dormant", "Lost"],
            },
            "Looked after by": {"id": "geba", "type": "people"},
            "Sort": {
                "id": "xmif",
                "type": "select",
                "options": [
                    "Outdoor shop", "Bike shop", "Rescue team", "Council or school", "Rental and events", "Boatyard",
                ],
            },
            "Region": {
                "id": "w2j4",
                "type": "select",
                "options": ["South West", "Wales", "Midlands", "North", "Scotland", "South East", "Ireland"],
            },
            "Yearly value (GBP)": {"id": "hnud", "type": "number"},
            "Contact": {"id": "xwud", "type": "rich_text"},
            "Contact e-mail": {"id": "39fy", "type": "email"},
            "Telephone (renamed)": {"id": "h5w4", "type": "phone_number"},
            "Next call": {"id": "cc2a", "type": "date"},
            "Web site": {"id": "qqe8", "type": "url"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_3(world):
    """With data_source_id and properties: changes 1 of data_sources, deletes 1 of properties and deletes 22 of …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"E-mail": None},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 0, 1), "property_values": (0, 0, 22)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "06d55244-726b-44d2-a22c-981b491a8da8"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert [row["id"] for row in made["properties"]["deleted"]] == ["amzr"]
    assert [(row["page_id"], row["property_id"], row["position"]) for row in made["property_values"]["deleted"]] == [
        ("002051b0-dea0-4e04-b3d0-dc54704def22", "amzr", 0),
        ("01ecddda-86b3-448b-9e6f-e14b81077ed6", "amzr", 0),
        ("17d74b6b-ff7f-47dd-b74f-a6832eadb02d", "amzr", 0),
        ("2facdfa5-6fa6-43a4-8958-4f6c7263af93", "amzr", 0),
        ("3a6997d5-1cd2-4ff3-a4d4-84a3630b947e", "amzr", 0),
        ("53038e3f-def4-47fc-a6bc-dbb5ed91628b", "amzr", 0),
        ("69c6d7da-4e7d-4eab-9601-059a3364a580", "amzr", 0),
        ("6ec5f0cd-11c7-4f6a-8233-86ecd5adbdff", "amzr", 0),
        ("7333be14-bf64-4805-8724-115ef3bfbe5f", "amzr", 0),
        ("809522af-3aed-494f-a78b-0c039d58285f", "amzr", 0),
        ("8a564ee0-92b2-4298-a464-5263f093bb4e", "amzr", 0),
        ("95f649ea-bf29-49ae-836b-2f4832c7605b", "amzr", 0),
        ("996df508-f226-4f58-abfd-965833a44a59", "amzr", 0),
        ("b14fc085-7cb1-4814-8d30-98f7441030d8", "amzr", 0),
        ("b71c5b65-308d-47c5-a48a-deb22ba2a2ef", "amzr", 0),
        ("baf843ba-09fe-40db-9726-b97da3ab5cce", "amzr", 0),
        ("bcedb6e2-6832-498b-be09-a69c0dc0aaff", "amzr", 0),
        ("c505872f-7d3e-4faf-b6be-1e2b5ec9647a", "amzr", 0),
        ("d2631bd8-272d-43f5-adb0-c0ca4eb225a6", "amzr", 0),
        ("e1aae708-c0f1-4f4e-a22f-dfaeceb68c1f", "amzr", 0),
        ("e602a2ee-8746-47c4-b2b3-f9b9deb19f24", "amzr", 0),
        ("e8975575-7935-44f2-a87c-12842f577883", "amzr", 0),
    ]
    assert result == {
        "data_source": {
            "id": "06d55244-726b-44d2-a22c-981b491a8da8",
            "title": "Candidates",
            "database_id": "961403ed-b063-4462-a594-cc50241e9e08",
            "in_trash": False,
            "description": "People who applied for one of our openings. Delete nothing; say why at the end.",
            "is_inline": True,
            "icon": "🧑\u200d🔧",
            "cover": None,
            "url": "https://workspace.example/06d55244726b44d2a22c981b491a8da8",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-10T12:32:03Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": {"id": "gmbw", "type": "title"},
            "Step": {
                "id": "j9nz",
                "type": "status",
                "options": ["Applied", "Phone call", "Workshop day", "Offer made", "Hired", "Turned down", "Withdrew"],
            },
            "Opening": {
                "id": "z6s7",
                "type": "select",
                "options": [
                    "Firmware engineer (part-time)", "Assembly technician", "Customer care (maternity cover)",
                    "Apprentice",
                ],
            },
            "Hiring manager": {"id": "3wxc", "type": "people"},
            "Applied on": {"id": "fgt4", "type": "date"},
            "Talks on": {"id": "kwuz", "type": "date"},
            "Came through": {
                "id": "8sin",
                "type": "select",
                "options": ["Job board", "Recommended", "College", "Wrote to us"],
            },
            "Impression": {"id": "3gp4", "type": "rich_text"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_database_id(world):
    """With data_source_id and database_id: changes 1 of data_sources, and nothing else changes."""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        database_id="4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "38c3b4d9-020d-4d01-b608-ec8f7409cd14"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "data_source": {
            "id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14",
            "title": "Content calendar",
            "database_id": "4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
            "in_trash": False,
            "description": "What we publish, where and when. Nothing goes out without a second pair of eyes.",
            "is_inline": False,
            "icon": "📣",
            "cover": None,
            "url": "https://workspace.example/38c3b4d9020d4d01b608ec8f7409cd14",
            "created_by": "4cdbcfff-903c-437f-bd22-1a030759ae18",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-08T11:01:18Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": {"id": "4wnk", "type": "title"},
            "Progress": {
                "id": "3v4r",
                "type": "status",
                "options": ["Pitch", "Writing", "With a reader", "Scheduled", "Published", "Scrapped"],
            },
            "Writer": {"id": "9rkd", "type": "people"},
            "Reader": {"id": "7t24", "type": "people"},
            "Channel": {
                "id": "q9pn",
                "type": "select",
                "options": ["Journal", "Newsletter", "Instagram", "Trade press", "Product page"],
            },
            "Goes out on": {"id": "bqed", "type": "date"},
            "Themes": {
                "id": "cwtj",
                "type": "multi_select",
                "options": [
                    "repair", "how it is made", "people who use it", "new lamp", "safety on the road",
                    "behind the bench",
                ],
            },
            "Published at": {"id": "ig3w", "type": "url"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_database_id_2(world):
    """With data_source_id and database_id: changes 1 of data_sources, and nothing else changes."""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="ada9bb2a-7518-42f5-9613-7cd98cbca4af",
        database_id="cb8c3ab0-047d-4d91-ae19-36ee93e2b9c5",
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "ada9bb2a-7518-42f5-9613-7cd98cbca4af"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    assert result == {
        "data_source": {
            "id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af",
            "title": "Projects",
            "database_id": "cb8c3ab0-047d-4d91-ae19-36ee93e2b9c5",
            "in_trash": False,
            "description": "Everything with a start, an end and a lead. If it has none of these it is a task.",
            "is_inline": False,
            "icon": "🗂️",
            "cover": None,
            "url": "https://workspace.example/ada9bb2a751842f596137cd98cbca4af",
            "created_by": "5385c03c-8f58-424e-b271-edd4d3683d8b",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-18T15:34:29Z",
            "last_edited_time": now,
        },
        "properties": {
            "Project": {"id": "ds2w", "type": "title"},
            "Stage": {
                "id": "3jbk",
                "type": "status",
                "options": ["Idea", "Planned", "Active", "On hold", "Shipped", "Stopped"],
            },
            "Lead": {"id": "rwty", "type": "people"},
            "Run by": {
                "id": "k9jn",
                "type": "select",
                "options": ["Product", "Operations", "Sales", "Care", "Company"],
            },
            "Kick-off": {"id": "rkku", "type": "date"},
            "Target date": {"id": "engb", "type": "date"},
            "Shipped on": {"id": "g6wq", "type": "date"},
            "Budget (GBP)": {"id": "kxj5", "type": "number"},
            "Goal": {"id": "y7b5", "type": "rich_text"},
            "Drive folder": {"id": "dhvu", "type": "url"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_4(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
        properties={"About": {"name": "About (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "bdf3e96a-6ba4-413f-8093-83f34f172b62"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "wbvb"
    assert _changed(before, after) == {"name": "About (renamed)"}
    assert result == {
        "data_source": {
            "id": "bdf3e96a-6ba4-413f-8093-83f34f172b62",
            "title": "Meetings",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": (
                "Notes of everything that had an agenda. The newest is on top; whoever runs the meeting writes the "
                "notes."
            ),
            "is_inline": True,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/bdf3e96a6ba4413f809383f34f172b62",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-20T10:19:02Z",
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": {"id": "525d", "type": "title"},
            "Held on": {"id": "sg3i", "type": "date"},
            "Series": {
                "id": "969t",
                "type": "select",
                "options": ["Product weekly", "Operations weekly", "Sales and care", "All hands", "Project meeting"],
            },
            "Attendees": {"id": "isus", "type": "people"},
            "About (renamed)": {
                "id": "wbvb",
                "type": "relation",
                "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af",
            },
            "Minutes agreed": {"id": "7t62", "type": "checkbox"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties_5(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Step": {"name": "Step (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "06d55244-726b-44d2-a22c-981b491a8da8"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "j9nz"
    assert _changed(before, after) == {"name": "Step (renamed)"}
    assert result == {
        "data_source": {
            "id": "06d55244-726b-44d2-a22c-981b491a8da8",
            "title": "Candidates",
            "database_id": "961403ed-b063-4462-a594-cc50241e9e08",
            "in_trash": False,
            "description": "People who applied for one of our openings. Delete nothing; say why at the end.",
            "is_inline": True,
            "icon": "🧑\u200d🔧",
            "cover": None,
            "url": "https://workspace.example/06d55244726b44d2a22c981b491a8da8",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-10T12:32:03Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": {"id": "gmbw", "type": "title"},
            "Step (renamed)": {
                "id": "j9nz",
                "type": "status",
                "options": ["Applied", "Phone call", "Workshop day", "Offer made", "Hired", "Turned down", "Withdrew"],
            },
            "Opening": {
                "id": "z6s7",
                "type": "select",
                "options": [
                    "Firmware engineer (part-time)", "Assembly technician", "Customer care (maternity cover)",
                    "Apprentice",
                ],
            },
            "Hiring manager": {"id": "3wxc", "type": "people"},
            "Applied on": {"id": "fgt4", "type": "date"},
            "Talks on": {"id": "kwuz", "type": "date"},
            "Came through": {
                "id": "8sin",
                "type": "select",
                "options": ["Job board", "Recommended", "College", "Wrote to us"],
            },
            "E-mail": {"id": "amzr", "type": "email"},
            "Impression": {"id": "3gp4", "type": "rich_text"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties_6(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
        properties={"Minutes agreed": {"name": "Minutes agreed (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "bdf3e96a-6ba4-413f-8093-83f34f172b62"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "7t62"
    assert _changed(before, after) == {"name": "Minutes agreed (renamed)"}
    assert result == {
        "data_source": {
            "id": "bdf3e96a-6ba4-413f-8093-83f34f172b62",
            "title": "Meetings",
            "database_id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "in_trash": False,
            "description": (
                "Notes of everything that had an agenda. The newest is on top; whoever runs the meeting writes the "
                "notes."
            ),
            "is_inline": True,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/bdf3e96a6ba4413f809383f34f172b62",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-20T10:19:02Z",
            "last_edited_time": now,
        },
        "properties": {
            "Meeting": {"id": "525d", "type": "title"},
            "Held on": {"id": "sg3i", "type": "date"},
            "Series": {
                "id": "969t",
                "type": "select",
                "options": ["Product weekly", "Operations weekly", "Sales and care", "All hands", "Project meeting"],
            },
            "Attendees": {"id": "isus", "type": "people"},
            "About": {"id": "wbvb", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "Minutes agreed (renamed)": {"id": "7t62", "type": "checkbox"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties_7(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="38c3b4d9-020d-4d01-b608-ec8f7409cd14",
        properties={"Themes": {"name": "Themes (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "38c3b4d9-020d-4d01-b608-ec8f7409cd14"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "cwtj"
    assert _changed(before, after) == {"name": "Themes (renamed)"}
    assert result == {
        "data_source": {
            "id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14",
            "title": "Content calendar",
            "database_id": "4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
            "in_trash": False,
            "description": "What we publish, where and when. Nothing goes out without a second pair of eyes.",
            "is_inline": False,
            "icon": "📣",
            "cover": None,
            "url": "https://workspace.example/38c3b4d9020d4d01b608ec8f7409cd14",
            "created_by": "4cdbcfff-903c-437f-bd22-1a030759ae18",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-08T11:01:18Z",
            "last_edited_time": now,
        },
        "properties": {
            "Piece": {"id": "4wnk", "type": "title"},
            "Progress": {
                "id": "3v4r",
                "type": "status",
                "options": ["Pitch", "Writing", "With a reader", "Scheduled", "Published", "Scrapped"],
            },
            "Writer": {"id": "9rkd", "type": "people"},
            "Reader": {"id": "7t24", "type": "people"},
            "Channel": {
                "id": "q9pn",
                "type": "select",
                "options": ["Journal", "Newsletter", "Instagram", "Trade press", "Product page"],
            },
            "Goes out on": {"id": "bqed", "type": "date"},
            "Themes (renamed)": {
                "id": "cwtj",
                "type": "multi_select",
                "options": [
                    "repair", "how it is made", "people who use it", "new lamp", "safety on the road",
                    "behind the bench",
                ],
            },
            "Published at": {"id": "ig3w", "type": "url"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_8(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        properties={"Status": {"name": "Status (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "d4acf16c-4eca-417a-a874-7c3c19732f2a"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "xgbq"
    assert _changed(before, after) == {"name": "Status (renamed)"}
    assert result == {
        "data_source": {
            "id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
            "title": "Tasks",
            "database_id": "eb117302-4d64-42f8-9a49-146812e002d6",
            "in_trash": False,
            "description": "One task, one assignee, one due date. Chat messages do not count as tasks.",
            "is_inline": False,
            "icon": "✅",
            "cover": None,
            "url": "https://workspace.example/d4acf16c4eca417aa8747c3c19732f2a",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-19T09:39:07Z",
            "last_edited_time": now,
        },
        "properties": {
            "Task": {"id": "xmup", "type": "title"},
            "Status (renamed)": {
                "id": "xgbq",
                "type": "status",
                "options": ["Not started", "In progress", "Blocked", "Done", "Dropped"],
            },
            "Assignee": {"id": "636c", "type": "people"},
            "Part of": {"id": "4c54", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "Due": {"id": "t62y", "type": "date"},
            "Done on": {"id": "fane", "type": "date"},
            "Priority": {"id": "fpw8", "type": "select", "options": ["Urgent", "High", "Normal", "Low"]},
            "Estimate (h)": {"id": "vmsb", "type": "number"},
            "Waiting for": {"id": "e56y", "type": "rich_text"},
            "Labels": {
                "id": "ki2f",
                "type": "multi_select",
                "options": ["quick win", "needs a supplier", "customer promise", "safety", "paperwork"],
            },
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_9(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        properties={"Labels": {"name": "Labels (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "d4acf16c-4eca-417a-a874-7c3c19732f2a"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "ki2f"
    assert _changed(before, after) == {"name": "Labels (renamed)"}
    assert result == {
        "data_source": {
            "id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
            "title": "Tasks",
            "database_id": "eb117302-4d64-42f8-9a49-146812e002d6",
            "in_trash": False,
            "description": "One task, one assignee, one due date. Chat messages do not count as tasks.",
            "is_inline": False,
            "icon": "✅",
            "cover": None,
            "url": "https://workspace.example/d4acf16c4eca417aa8747c3c19732f2a",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-19T09:39:07Z",
            "last_edited_time": now,
        },
        "properties": {
            "Task": {"id": "xmup", "type": "title"},
            "Status": {
                "id": "xgbq",
                "type": "status",
                "options": ["Not started", "In progress", "Blocked", "Done", "Dropped"],
            },
            "Assignee": {"id": "636c", "type": "people"},
            "Part of": {"id": "4c54", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "Due": {"id": "t62y", "type": "date"},
            "Done on": {"id": "fane", "type": "date"},
            "Priority": {"id": "fpw8", "type": "select", "options": ["Urgent", "High", "Normal", "Low"]},
            "Estimate (h)": {"id": "vmsb", "type": "number"},
            "Waiting for": {"id": "e56y", "type": "rich_text"},
            "Labels (renamed)": {
                "id": "ki2f",
                "type": "multi_select",
                "options": ["quick win", "needs a supplier", "customer promise", "safety", "paperwork"],
            },
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_10(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Opening": {"name": "Opening (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "06d55244-726b-44d2-a22c-981b491a8da8"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "z6s7"
    assert _changed(before, after) == {"name": "Opening (renamed)"}
    assert result == {
        "data_source": {
            "id": "06d55244-726b-44d2-a22c-981b491a8da8",
            "title": "Candidates",
            "database_id": "961403ed-b063-4462-a594-cc50241e9e08",
            "in_trash": False,
            "description": "People who applied for one of our openings. Delete nothing; say why at the end.",
            "is_inline": True,
            "icon": "🧑\u200d🔧",
            "cover": None,
            "url": "https://workspace.example/06d55244726b44d2a22c981b491a8da8",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-10T12:32:03Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": {"id": "gmbw", "type": "title"},
            "Step": {
                "id": "j9nz",
                "type": "status",
                "options": ["Applied", "Phone call", "Workshop day", "Offer made", "Hired", "Turned down", "Withdrew"],
            },
            "Opening (renamed)": {
                "id": "z6s7",
                "type": "select",
                "options": [
                    "Firmware engineer (part-time)", "Assembly technician", "Customer care (maternity cover)",
                    "Apprentice",
                ],
            },
            "Hiring manager": {"id": "3wxc", "type": "people"},
            "Applied on": {"id": "fgt4", "type": "date"},
            "Talks on": {"id": "kwuz", "type": "date"},
            "Came through": {
                "id": "8sin",
                "type": "select",
                "options": ["Job board", "Recommended", "College", "Wrote to us"],
            },
            "E-mail": {"id": "amzr", "type": "email"},
            "Impression": {"id": "3gp4", "type": "rich_text"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties_11(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
        properties={"Priority": {"name": "Priority (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "d4acf16c-4eca-417a-a874-7c3c19732f2a"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "fpw8"
    assert _changed(before, after) == {"name": "Priority (renamed)"}
    assert result == {
        "data_source": {
            "id": "d4acf16c-4eca-417a-a874-7c3c19732f2a",
            "title": "Tasks",
            "database_id": "eb117302-4d64-42f8-9a49-146812e002d6",
            "in_trash": False,
            "description": "One task, one assignee, one due date. Chat messages do not count as tasks.",
            "is_inline": False,
            "icon": "✅",
            "cover": None,
            "url": "https://workspace.example/d4acf16c4eca417aa8747c3c19732f2a",
            "created_by": "ae382ce0-9211-47e1-b5bc-41bd42c9bdbd",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-19T09:39:07Z",
            "last_edited_time": now,
        },
        "properties": {
            "Task": {"id": "xmup", "type": "title"},
            "Status": {
                "id": "xgbq",
                "type": "status",
                "options": ["Not started", "In progress", "Blocked", "Done", "Dropped"],
            },
            "Assignee": {"id": "636c", "type": "people"},
            "Part of": {"id": "4c54", "type": "relation", "data_source_id": "ada9bb2a-7518-42f5-9613-7cd98cbca4af"},
            "Due": {"id": "t62y", "type": "date"},
            "Done on": {"id": "fane", "type": "date"},
            "Priority (renamed)": {"id": "fpw8", "type": "select", "options": ["Urgent", "High", "Normal", "Low"]},
            "Estimate (h)": {"id": "vmsb", "type": "number"},
            "Waiting for": {"id": "e56y", "type": "rich_text"},
            "Labels": {
                "id": "ki2f",
                "type": "multi_select",
                "options": ["quick win", "needs a supplier", "customer promise", "safety", "paperwork"],
            },
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__with_properties_12(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="06d55244-726b-44d2-a22c-981b491a8da8",
        properties={"Came through": {"name": "Came through (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "06d55244-726b-44d2-a22c-981b491a8da8"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "8sin"
    assert _changed(before, after) == {"name": "Came through (renamed)"}
    assert result == {
        "data_source": {
            "id": "06d55244-726b-44d2-a22c-981b491a8da8",
            "title": "Candidates",
            "database_id": "961403ed-b063-4462-a594-cc50241e9e08",
            "in_trash": False,
            "description": "People who applied for one of our openings. Delete nothing; say why at the end.",
            "is_inline": True,
            "icon": "🧑\u200d🔧",
            "cover": None,
            "url": "https://workspace.example/06d55244726b44d2a22c981b491a8da8",
            "created_by": "8ecda911-4954-421e-8894-b9afa94f73df",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-04-10T12:32:03Z",
            "last_edited_time": now,
        },
        "properties": {
            "Candidate": {"id": "gmbw", "type": "title"},
            "Step": {
                "id": "j9nz",
                "type": "status",
                "options": ["Applied", "Phone call", "Workshop day", "Offer made", "Hired", "Turned down", "Withdrew"],
            },
            "Opening": {
                "id": "z6s7",
                "type": "select",
                "options": [
                    "Firmware engineer (part-time)", "Assembly technician", "Customer care (maternity cover)",
                    "Apprentice",
                ],
            },
            "Hiring manager": {"id": "3wxc", "type": "people"},
            "Applied on": {"id": "fgt4", "type": "date"},
            "Talks on": {"id": "kwuz", "type": "date"},
            "Came through (renamed)": {
                "id": "8sin",
                "type": "select",
                "options": ["Job board", "Recommended", "College", "Wrote to us"],
            },
            "E-mail": {"id": "amzr", "type": "email"},
            "Impression": {"id": "3gp4", "type": "rich_text"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is True


def test_update_data_source__with_properties_13(world):
    """With data_source_id and properties: changes 1 of data_sources and changes 1 of properties, and nothing else …"""
    now = world.now()
    result = tools.update_data_source(
        world,
        data_source_id="9e66851d-b0f9-4af8-a823-9d0997b04d50",
        properties={"Yearly value (GBP)": {"name": "Yearly value (GBP) (renamed)"}},
    )
    made = changes(world)
    assert _counts(made) == {"data_sources": (0, 1, 0), "properties": (0, 1, 0)}
    ((before, after),) = made["data_sources"]["updated"]
    assert before["id"] == "9e66851d-b0f9-4af8-a823-9d0997b04d50"
    assert _changed(before, after) == {
        "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
        "last_edited_time": now,
    }
    ((before, after),) = made["properties"]["updated"]
    assert before["id"] == "hnud"
    assert _changed(before, after) == {"name": "Yearly value (GBP) (renamed)"}
    assert result == {
        "data_source": {
            "id": "9e66851d-b0f9-4af8-a823-9d0997b04d50",
            "title": "Accounts",
            "database_id": "d58e0d35-fa19-4355-bc0c-8464db7eff5c",
            "in_trash": False,
            "description": "Shops, rental firms, rescue teams and councils that buy from us, or should.",
            "is_inline": False,
            "icon": "🤝",
            "cover": None,
            "url": "https://workspace.example/9e66851db0f94af8a8239d0997b04d50",
            "created_by": "e9023d0e-8c5c-4025-ae2c-365ff1ee95a6",
            "last_edited_by": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "created_time": "2024-03-29T11:36:22Z",
            "last_edited_time": now,
        },
        "properties": {
            "Organisation": {"id": "smjy", "type": "title"},
            "Relationship": {
                "id": "xecm",
                "type": "status",
                "options": ["Lead", "Talking", "Sample out", "Customer", "Dormant", "Lost"],
            },
            "Looked after by": {"id": "geba", "type": "people"},
            "Sort": {
                "id": "xmif",
                "type": "select",
                "options": [
                    "Outdoor shop", "Bike shop", "Rescue team", "Council or school", "Rental and events", "Boatyard",
                ],
            },
            "Region": {
                "id": "w2j4",
                "type": "select",
                "options": ["South West", "Wales", "Midlands", "North", "Scotland", "South East", "Ireland"],
            },
            "Yearly value (GBP) (renamed)": {"id": "hnud", "type": "number"},
            "Contact": {"id": "xwud", "type": "rich_text"},
            "Contact e-mail": {"id": "39fy", "type": "email"},
            "Telephone": {"id": "h5w4", "type": "phone_number"},
            "Next call": {"id": "cc2a", "type": "date"},
            "Web site": {"id": "qqe8", "type": "url"},
        },
    }
    assert result["data_source"]["in_trash"] is False
    assert result["data_source"]["is_inline"] is False


def test_update_data_source__invalid_argument(world):
    """There is nothing to change: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "There is nothing to change."
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__not_found(world):
    """There is no data source with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="00000000-0000-0000-0000-000000000000",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no data source with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__conflict(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Another title": {"type": "title"}},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__not_found_2(world):
    """There is no database with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            database_id="00000000-0000-0000-0000-000000000000",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no database with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__conflict_2(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Due": {"type": "checkbox"}},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__conflict_3(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="bdf3e96a-6ba4-413f-8093-83f34f172b62",
            properties={"About": {"data_source_id": "06d55244-726b-44d2-a22c-981b491a8da8"}},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__conflict_4(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Due": {"name": "Task"}},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__conflict_5(world):
    """Some argument leads to conflict: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Task": None},
        )
    assert caught.value.code == "conflict"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__not_found_3(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"no such property": None},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__not_found_4(world):
    """Some argument leads to not_found: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Linked": {"type": "relation", "data_source_id": "no-such-id"}},
        )
    assert caught.value.code == "not_found"
    assert caught.value.hint
    assert not changes(world)


def test_update_data_source__not_allowed(world):
    """The data source 'Tasks' is in the trash: nothing changes."""
    tools.update_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash=True)
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The data source 'Tasks' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_data_source__not_allowed_2(world):
    """The database 'Tasks' is in the trash: nothing changes."""
    world.execute("UPDATE databases SET in_trash = ? WHERE id = ?", [1, "eb117302-4d64-42f8-9a49-146812e002d6"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(world, data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The database 'Tasks' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_data_source__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            database_id="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            description="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            icon="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            in_trash="yes",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties="not an object",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            title="   ",
            properties={"Stage": {"type": "select", "options": ["First", "Second"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Estimate": {"type": "no such type"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Estimate": {"type": "number", "options": ["First"]}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Linked": {"type": "relation", "data_source_id": 7}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_data_source(
            world,
            data_source_id="d4acf16c-4eca-417a-a874-7c3c19732f2a",
            properties={"Estimate": {"kind": "number"}},
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_list_users__with_page_size(world):
    """With page_size: 23 rows fit."""
    page = tools.list_users(world, page_size=2)
    expected = world.query("SELECT id FROM users ORDER BY name, id LIMIT 3")
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:2]]
    assert page["has_more"] is (len(expected) > 2)
    assert page["items"] == [
        {
            "id": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
            "name": "Ben Tarrant",
            "type": "person",
            "email": "ben.tarrant@brackwater.example",
        },
        {"id": "296db41b-1667-44aa-9e81-e0555ec885ad", "name": "Brackwater assistant", "type": "bot", "email": None},
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_list_users__with_page_size_2(world):
    """With page_size: 23 rows fit."""
    page = tools.list_users(world, page_size=50)
    expected = world.query("SELECT id FROM users ORDER BY name, id LIMIT 51")
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:50]]
    assert page["has_more"] is (len(expected) > 50)
    assert page["items"][0] == {
        "id": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
        "name": "Ben Tarrant",
        "type": "person",
        "email": "ben.tarrant@brackwater.example",
    }
    assert page["items"][-1] == {
        "id": "5385c03c-8f58-424e-b271-edd4d3683d8b",
        "name": "Tom Tregear",
        "type": "person",
        "email": "tom.tregear@brackwater.example",
    }
    assert page["next_cursor"] is None
    assert not changes(world)


def test_list_users__with_page_size_3(world):
    """With page_size: 23 rows fit."""
    page = tools.list_users(world, page_size=1)
    expected = world.query("SELECT id FROM users ORDER BY name, id LIMIT 2")
    assert [item["id"] for item in page["items"]] == [row["id"] for row in expected[:1]]
    assert page["has_more"] is (len(expected) > 1)
    assert page["items"] == [
        {
            "id": "b59a02c5-c555-41f9-a1e9-4a5287ffea43",
            "name": "Ben Tarrant",
            "type": "person",
            "email": "ben.tarrant@brackwater.example",
        },
    ]
    assert isinstance(page["next_cursor"], str)
    assert not changes(world)


def test_list_users__paging(world):
    """The pages of 7 together hold the same 23 items, in the same order."""
    whole = tools.list_users(world, page_size=23)
    assert len(whole["items"]) == 23
    assert whole["has_more"] is False
    assert whole["next_cursor"] is None
    first = tools.list_users(world, page_size=7)
    assert first["items"] == whole["items"][:7]
    assert first["has_more"] is True
    items = _all_pages(tools.list_users, world, first, "start_cursor", page_size=7)
    assert items == whole["items"]
    most = tools.list_users(world, page_size=22)
    assert most["has_more"] is True


def test_list_users__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.list_users(world, page_size=0)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_users(world, start_cursor="   ", page_size=2)
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.list_users(world, start_cursor="Checked start cursor")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_get_self__success(world):
    """The result is what the rows say."""
    result = tools.get_self(world)
    assert result == {
        "user": {
            "id": "296db41b-1667-44aa-9e81-e0555ec885ad",
            "name": "Brackwater assistant",
            "type": "bot",
            "email": None,
        },
    }
    assert not changes(world)


def test_retrieve_user__success(world):
    """With user_id: the result is what the rows say."""
    result = tools.retrieve_user(world, user_id="5385c03c-8f58-424e-b271-edd4d3683d8b")
    (row,) = world.query("SELECT * FROM users WHERE id = ?", ["5385c03c-8f58-424e-b271-edd4d3683d8b"])
    assert result["user"] == _columns(row, "id", "name", "type", "email")
    assert not changes(world)


def test_retrieve_user__success_2(world):
    """With user_id: the result is what the rows say."""
    result = tools.retrieve_user(world, user_id="296db41b-1667-44aa-9e81-e0555ec885ad")
    (row,) = world.query("SELECT * FROM users WHERE id = ?", ["296db41b-1667-44aa-9e81-e0555ec885ad"])
    assert result["user"] == _columns(row, "id", "name", "type", "email")
    assert not changes(world)


def test_retrieve_user__not_found(world):
    """There is no user with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_user(world, user_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no user with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_user__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_user(world, user_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_database__success(world):
    """With database_id: the result is what the rows say."""
    result = tools.retrieve_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e")
    assert result == {
        "database": {
            "id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "title": "Meetings",
            "parent": {"page_id": "e11e46ff-dbe9-4105-ab24-1c7924517f92"},
            "in_trash": False,
            "description": (
                "Notes of everything that had an agenda. The newest is on top; whoever runs the meeting writes the "
                "notes."
            ),
            "is_inline": True,
            "is_locked": False,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/199a25c5876c46eda393fe1631b1368e",
            "created_time": "2024-03-20T10:18:02Z",
            "last_edited_time": "2025-02-05T14:28:40Z",
        },
        "data_sources": [{"id": "bdf3e96a-6ba4-413f-8093-83f34f172b62", "title": "Meetings"}],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is True
    assert result["database"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_database__success_2(world):
    """With database_id: the result is what the rows say."""
    result = tools.retrieve_database(world, database_id="4d0a065e-0999-4e47-b30f-eb8e0a50cc21")
    assert result == {
        "database": {
            "id": "4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
            "title": "Content calendar",
            "parent": {"page_id": "f0f88381-b536-4838-8b4d-ac125dde53f7"},
            "in_trash": False,
            "description": "What we publish, where and when. Nothing goes out without a second pair of eyes.",
            "is_inline": False,
            "is_locked": False,
            "icon": "📣",
            "cover": None,
            "url": "https://workspace.example/4d0a065e09994e47b30feb8e0a50cc21",
            "created_time": "2024-04-08T11:00:18Z",
            "last_edited_time": "2025-02-10T10:27:10Z",
        },
        "data_sources": [{"id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14", "title": "Content calendar"}],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is False
    assert result["database"]["is_locked"] is False
    assert not changes(world)


def test_retrieve_database__success_3(world):
    """With database_id: the result is what the rows say."""
    result = tools.retrieve_database(world, database_id="961403ed-b063-4462-a594-cc50241e9e08")
    assert result == {
        "database": {
            "id": "961403ed-b063-4462-a594-cc50241e9e08",
            "title": "Candidates",
            "parent": {"page_id": "e11e46ff-dbe9-4105-ab24-1c7924517f92"},
            "in_trash": False,
            "description": "People who applied for one of our openings. Delete nothing; say why at the end.",
            "is_inline": True,
            "is_locked": True,
            "icon": "🧑\u200d🔧",
            "cover": None,
            "url": "https://workspace.example/961403edb0634462a594cc50241e9e08",
            "created_time": "2024-04-10T12:31:03Z",
            "last_edited_time": "2025-02-10T10:15:31Z",
        },
        "data_sources": [{"id": "06d55244-726b-44d2-a22c-981b491a8da8", "title": "Candidates"}],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is True
    assert result["database"]["is_locked"] is True
    assert not changes(world)


def test_retrieve_database__not_found(world):
    """There is no database with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_database(world, database_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no database with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_retrieve_database__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.retrieve_database(world, database_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_create_database__with_several(world):
    """With title, parent_page_id, description and more: adds 1 of databases, and nothing else changes."""
    now = world.now()
    result = tools.create_database(
        world,
        title="Checked title",
        parent_page_id="06e8a499-649c-46db-8840-b5bf92f07278",
        description="A second description",
        is_inline=False,
        icon="Checked icon",
        cover="Checked cover",
    )
    made = changes(world)
    new_database = made["databases"]["inserted"][0]["id"]
    assert _counts(made) == {"databases": (1, 0, 0)}
    assert made["databases"]["inserted"] == [{
        "id": new_database,
        "title": "Checked title",
        "parent_type": "page",
        "parent_page_id": "06e8a499-649c-46db-8840-b5bf92f07278",
        "in_trash": 0,
        "description": "A second description",
        "is_inline": 0,
        "is_locked": 0,
        "icon": "Checked icon",
        "cover": "Checked cover",
        "url": f"https://workspace.example/{new_database.replace('-', '')}",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "database": {
            "id": new_database,
            "title": "Checked title",
            "parent": {"page_id": "06e8a499-649c-46db-8840-b5bf92f07278"},
            "in_trash": False,
            "description": "A second description",
            "is_inline": False,
            "is_locked": False,
            "icon": "Checked icon",
            "cover": "Checked cover",
            "url": f"https://workspace.example/{new_database.replace('-', '')}",
            "created_time": now,
            "last_edited_time": now,
        },
        "data_sources": [],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is False
    assert result["database"]["is_locked"] is False


def test_create_database__with_is_inline(world):
    """With title and is_inline: adds 1 of databases, and nothing else changes."""
    now = world.now()
    result = tools.create_database(world, title="Checked title", is_inline=True)
    made = changes(world)
    new_database = made["databases"]["inserted"][0]["id"]
    assert _counts(made) == {"databases": (1, 0, 0)}
    assert made["databases"]["inserted"] == [{
        "id": new_database,
        "title": "Checked title",
        "parent_type": "workspace",
        "parent_page_id": None,
        "in_trash": 0,
        "description": None,
        "is_inline": 1,
        "is_locked": 0,
        "icon": None,
        "cover": None,
        "url": f"https://workspace.example/{new_database.replace('-', '')}",
        "created_time": now,
        "last_edited_time": now,
    }]
    assert result == {
        "database": {
            "id": new_database,
            "title": "Checked title",
            "parent": {"workspace": True},
            "in_trash": False,
            "description": None,
            "is_inline": True,
            "is_locked": False,
            "icon": None,
            "cover": None,
            "url": f"https://workspace.example/{new_database.replace('-', '')}",
            "created_time": now,
            "last_edited_time": now,
        },
        "data_sources": [],
    }
    assert result["database"]["parent"]["workspace"] is True
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is True


def test_create_database__not_allowed(world):
    """The page 'Shelf plan before the labels' is in the trash: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_database(world, title="Checked title", parent_page_id="02c02d25-2d97-44e8-a599-5de080c255f0")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Shelf plan before the labels' is in the trash."
    assert caught.value.hint
    assert not changes(world)


def test_create_database__not_found(world):
    """There is no page with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_database(world, title="Checked title", parent_page_id="00000000-0000-0000-0000-000000000000")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no page with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_create_database__not_allowed_2(world):
    """The page 'Reorder envelopes in two sizes' is archived: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.create_database(world, title="Checked title", parent_page_id="03159257-761f-44b2-bd7b-edacc5f5e001")
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Reorder envelopes in two sizes' is archived."
    assert caught.value.hint
    assert not changes(world)


def test_create_database__invalid_argument(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.create_database(
            world,
            title="Checked title",
            parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            cover="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_database(
            world,
            title="Checked title",
            parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            description="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_database(
            world,
            title="Checked title",
            parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            icon="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_database(
            world,
            title="Checked title",
            parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70",
            is_inline="yes",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_database(world, title="Checked title", parent_page_id="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.create_database(world, title="   ", parent_page_id="43c409b6-6a81-4aea-8ffe-8a6fc7e35f70")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)


def test_update_database__with_several(world):
    """With database_id, title, description and more: changes 1 of databases, and nothing else changes."""
    now = world.now()
    result = tools.update_database(
        world,
        database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
        title="Checked title",
        description="Checked description",
        is_inline=False,
        in_trash=True,
    )
    made = changes(world)
    assert _counts(made) == {"databases": (0, 1, 0)}
    ((before, after),) = made["databases"]["updated"]
    assert before["id"] == "199a25c5-876c-46ed-a393-fe1631b1368e"
    assert _changed(before, after) == {
        "title": "Checked title",
        "in_trash": 1,
        "description": "Checked description",
        "is_inline": 0,
        "last_edited_time": now,
    }
    assert result == {
        "database": {
            "id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "title": "Checked title",
            "parent": {"page_id": "e11e46ff-dbe9-4105-ab24-1c7924517f92"},
            "in_trash": True,
            "description": "Checked description",
            "is_inline": False,
            "is_locked": False,
            "icon": "🗓️",
            "cover": None,
            "url": "https://workspace.example/199a25c5876c46eda393fe1631b1368e",
            "created_time": "2024-03-20T10:18:02Z",
            "last_edited_time": now,
        },
        "data_sources": [{"id": "bdf3e96a-6ba4-413f-8093-83f34f172b62", "title": "Meetings"}],
    }
    assert result["database"]["in_trash"] is True
    assert result["database"]["is_inline"] is False
    assert result["database"]["is_locked"] is False


def test_update_database__with_several_2(world):
    """With database_id, is_inline, icon and more: changes 1 of databases, and nothing else changes."""
    now = world.now()
    result = tools.update_database(
        world,
        database_id="4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
        is_inline=True,
        icon="A second icon",
        in_trash=False,
        is_locked=True,
    )
    made = changes(world)
    assert _counts(made) == {"databases": (0, 1, 0)}
    ((before, after),) = made["databases"]["updated"]
    assert before["id"] == "4d0a065e-0999-4e47-b30f-eb8e0a50cc21"
    assert _changed(before, after) == {
        "is_inline": 1,
        "is_locked": 1,
        "icon": "A second icon",
        "last_edited_time": now,
    }
    assert result == {
        "database": {
            "id": "4d0a065e-0999-4e47-b30f-eb8e0a50cc21",
            "title": "Content calendar",
            "parent": {"page_id": "f0f88381-b536-4838-8b4d-ac125dde53f7"},
            "in_trash": False,
            "description": "What we publish, where and when. Nothing goes out without a second pair of eyes.",
            "is_inline": True,
            "is_locked": True,
            "icon": "A second icon",
            "cover": None,
            "url": "https://workspace.example/4d0a065e09994e47b30feb8e0a50cc21",
            "created_time": "2024-04-08T11:00:18Z",
            "last_edited_time": now,
        },
        "data_sources": [{"id": "38c3b4d9-020d-4d01-b608-ec8f7409cd14", "title": "Content calendar"}],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is True
    assert result["database"]["is_locked"] is True


def test_update_database__with_cover(world):
    """With database_id and cover: changes 1 of databases, and nothing else changes."""
    now = world.now()
    result = tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", cover="Checked cover")
    made = changes(world)
    assert _counts(made) == {"databases": (0, 1, 0)}
    ((before, after),) = made["databases"]["updated"]
    assert before["id"] == "199a25c5-876c-46ed-a393-fe1631b1368e"
    assert _changed(before, after) == {"cover": "Checked cover", "last_edited_time": now}
    assert result == {
        "database": {
            "id": "199a25c5-876c-46ed-a393-fe1631b1368e",
            "title": "Meetings",
            "parent": {"page_id": "e11e46ff-dbe9-4105-ab24-1c7924517f92"},
            "in_trash": False,
            "description": (
                "Notes of everything that had an agenda. The newest is on top; whoever runs the meeting writes the "
                "notes."
            ),
            "is_inline": True,
            "is_locked": False,
            "icon": "🗓️",
            "cover": "Checked cover",
            "url": "https://workspace.example/199a25c5876c46eda393fe1631b1368e",
            "created_time": "2024-03-20T10:18:02Z",
            "last_edited_time": now,
        },
        "data_sources": [{"id": "bdf3e96a-6ba4-413f-8093-83f34f172b62", "title": "Meetings"}],
    }
    assert result["database"]["in_trash"] is False
    assert result["database"]["is_inline"] is True
    assert result["database"]["is_locked"] is False


def test_update_database__invalid_argument(world):
    """There is nothing to change: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e")
    assert caught.value.code == "invalid_argument"
    assert caught.value.message == "There is nothing to change."
    assert caught.value.hint
    assert not changes(world)


def test_update_database__not_found(world):
    """There is no database with id 00000000-0000-0000-0000-000000000000: nothing changes."""
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="00000000-0000-0000-0000-000000000000", title="Checked title")
    assert caught.value.code == "not_found"
    assert caught.value.message == "There is no database with id 00000000-0000-0000-0000-000000000000."
    assert caught.value.hint
    assert not changes(world)


def test_update_database__not_allowed(world):
    """The database 'Meetings' is in the trash: nothing changes."""
    tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", in_trash=True)
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The database 'Meetings' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_database__not_allowed_2(world):
    """The page 'Company' is in the trash: nothing changes."""
    world.execute("UPDATE pages SET in_trash = ? WHERE id = ?", [1, "e11e46ff-dbe9-4105-ab24-1c7924517f92"])
    before = changes(world)
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", in_trash=True)
    assert caught.value.code == "not_allowed"
    assert caught.value.message == "The page 'Company' is in the trash."
    assert caught.value.hint
    assert changes(world) == before


def test_update_database__invalid_argument_2(world):
    """Arguments that do not fit are refused with a hint."""
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            cover="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="   ", title="Checked title")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            description="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            icon="   ",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            in_trash="yes",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            is_inline="yes",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(
            world,
            database_id="199a25c5-876c-46ed-a393-fe1631b1368e",
            title="Checked title",
            is_locked="yes",
        )
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    with pytest.raises(ToolError) as caught:
        tools.update_database(world, database_id="199a25c5-876c-46ed-a393-fe1631b1368e", title="   ")
    assert caught.value.code == "invalid_argument"
    assert caught.value.hint
    assert not changes(world)
