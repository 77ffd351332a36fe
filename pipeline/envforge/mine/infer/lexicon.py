"""Words as data: what verbs, wrappers, parameters and fields are called across APIs."""

from __future__ import annotations

from envforge.core.records.domain import Verb


def _set_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


HTTP_WORDS = _set_of("get post put patch delete head options")

# The first word of an operation's name -> what it does. `transition` words need a matching state column.
VERB_WORDS: dict[str, Verb] = {
    **dict.fromkeys(("list", "browse", "index"), "list"),
    **dict.fromkeys(("get", "retrieve", "read", "show", "fetch", "describe", "view", "check"), "get"),
    **dict.fromkeys(("search", "find", "lookup", "autocomplete"), "search"),
    **dict.fromkeys(("query", "filter"), "filter"),
    **dict.fromkeys(("create", "new", "insert", "register", "append", "open", "post", "make", "duplicate"), "create"),
    **dict.fromkeys(("update", "edit", "modify", "patch", "set", "change", "rename", "replace", "put"), "update"),
    **dict.fromkeys(("delete", "destroy", "remove", "trash", "erase"), "delete"),
    **dict.fromkeys(("move", "transfer", "reparent"), "transfer"),
    **dict.fromkeys(("add", "link", "attach", "assign", "follow", "star", "watch", "subscribe", "join"), "link"),
    **dict.fromkeys(
        ("unlink", "detach", "unassign", "unfollow", "unstar", "unwatch", "unsubscribe", "leave"), "unlink"
    ),
    **dict.fromkeys(
        (
            *("close", "reopen", "cancel", "archive", "unarchive", "restore", "complete", "publish", "unpublish"),
            *("lock", "unlock", "approve", "resolve", "pause", "resume", "start", "stop", "enable", "disable"),
            *("activate", "deactivate", "void", "finalize", "capture", "pin", "unpin", "hide", "unhide", "accept"),
            *("decline", "reject", "suspend", "unsuspend", "block", "unblock", "mark", "pay", "refund", "confirm"),
        ),
        "transition",
    ),
}

# Action -> (columns that may hold the state, value that they then have), best first.
TRANSITIONS: dict[str, tuple[tuple[str, object], ...]] = {
    "close": (("closed", True), ("state", "closed"), ("status", "closed")),
    "reopen": (("closed", False), ("state", "open"), ("status", "open")),
    "cancel": (("status", "canceled"), ("status", "cancelled"), ("state", "canceled"), ("state", "cancelled")),
    "archive": (("archived", True), ("is_archived", True), ("status", "archived"), ("state", "archived")),
    "unarchive": (("archived", False), ("is_archived", False)),
    "restore": (("in_trash", False), ("deleted", False), ("archived", False)),
    "complete": (("completed", True), ("status", "completed"), ("status", "complete"), ("state", "completed")),
    "publish": (("published", True), ("status", "published"), ("draft", False)),
    "unpublish": (("published", False), ("status", "draft")),
    "lock": (("locked", True), ("is_locked", True)),
    "unlock": (("locked", False), ("is_locked", False)),
    "approve": (("status", "approved"), ("state", "approved")),
    "resolve": (("resolved", True), ("status", "resolved"), ("state", "resolved")),
    "pause": (("paused", True), ("status", "paused")),
    "resume": (("paused", False), ("status", "active")),
    "enable": (("enabled", True), ("active", True), ("state", "active")),
    "disable": (("enabled", False), ("active", False)),
    "activate": (("active", True), ("status", "active")),
    "deactivate": (("active", False), ("status", "inactive")),
    "void": (("status", "void"), ("status", "voided")),
    "finalize": (("status", "open"), ("status", "finalized")),
    "capture": (("captured", True), ("status", "succeeded")),
    "pin": (("pinned", True),),
    "unpin": (("pinned", False),),
    "hide": (("hidden", True),),
    "unhide": (("hidden", False),),
    "accept": (("accepted", True), ("status", "accepted")),
    "decline": (("status", "declined"),),
    "reject": (("status", "rejected"), ("state", "rejected")),
    "suspend": (("suspended", True), ("status", "suspended")),
    "unsuspend": (("suspended", False), ("status", "active")),
    "pay": (("paid", True), ("status", "paid")),
    "confirm": (("confirmed", True), ("status", "confirmed")),
}

# Reason code -> words in a path or name that make an operation no tool of a database world.
REJECTED_WORDS: dict[str, frozenset[str]] = {
    "statistic": _set_of("stats statistics statistic insights metrics analytics usage traffic telemetry"),
    "download": _set_of("download downloads export exports tarball zipball archive_link media raw upload uploads"),
    "rendering": _set_of("markdown html render rendering preview thumbnail pdf svg qr"),
    "auth": _set_of("oauth oauth2 token tokens login logout introspect revoke credentials password session_token sso"),
    "batch": _set_of("batch bulk async"),
    "event_feed": _set_of("webhook webhooks hooks hook"),
}

SCHEMA_SUFFIXES = _set_of(
    "response responses request object compact full mini base bean dto resource schema model entity details detail "
    "representation output input json result payload reference ref simple minimal v1 v2 v3"
)
SCHEMA_PREFIXES = _set_of(
    "partial full minimal mini nullable simple simplified basic short compact base get list create update "
    "retrieve expanded detailed deleted api legacy v1 v2 v3"
)

# Words of a schema name that say how much of a record it shows; dropped where the path names the record by the rest.
SHOWING_WORDS = _set_of(
    "complete private public with id view vo summary info item data list new created updated extended expanded lite "
    "light full admin single short long basic read record entry element rest api external internal web domain bean "
    "create update get with_id simple detail details dto model response request lookup"
)

# Words that only qualify the noun which a name leaves out (`list_public` is about public gists).
QUALIFIERS = _set_of("public private child latest recent my starred watched blocked owned shared archived trashed")

# Fields that name a record among its siblings where paths do not use its id.
NATURAL_KEYS = ("login", "slug", "name", "key", "number", "code", "username", "sha")
# Scalars of a variant's payload that deserve a column of their own.
PAYLOAD_COLUMNS = _set_of("checked done completed complete closed resolved finished language url")

IDENTITY_KEYS = ("object", "resource_type", "resourceType", "kind", "entity_type", "__typename", "_type")
ID_FIELDS = ("id", "gid", "uuid", "key", "sys_id", "uid", "object_id", "objectId")
# Fields that hold the address of a record itself: whoever has them can tell it apart, though it states no id.
OWN_LINKS = _set_of("uri href self self_uri self_link resource_uri resource_url")
WRAPPERS = (
    *("data", "results", "items", "entries", "values", "records", "objects", "elements", "list", "content"),
    *("result", "rows", "payload"),
    *("embedded", "entities", "collection"),
)
# Of these, the ones that only wrap where no id stands beside them: records have such fields too.
COLLECTION_WRAPPERS = _set_of("embedded entities collection result rows payload")
PAGE_META = _set_of(
    "has_more next next_cursor cursor previous prev next_page next_page_token total total_count count page "
    "page_size limit offset start_at startat max_results maxresults total_pages is_last islast next_uri "
    "next_page_uri response_metadata paging pagination meta links _links incomplete_results object url "
    "request_status has_next start size current_page last_page per_page next_page_url prev_page_url first_page_url "
    "last_page_url page_number pages total_records total_items number_of_elements odata_next_link odata_count "
    "odata_metadata odata_context odata_delta_link next_link"
)

# What an envelope says of the call itself, beside what the call answers.
OUTCOME_META = _set_of(
    "status status_code status_reason code message messages error errors success ok operation resource service "
    "request_id timestamp api_version version warning warnings trace_id detail details jsonapi included schema"
)

CURSORS = _set_of(
    "start_cursor cursor page_token next_cursor offset starting_after page start_at startat after_cursor start "
    "next_page_token"
)
PAGE_SIZES = _set_of("page_size limit per_page max_results maxresults count page_limit size perpage pagesize top")
# Parameters that shape the answer, not the data.
PRESENTATION = _set_of(
    "fields expand include includes opt_fields opt_pretty pretty filter_properties format callback select "
    "include_transcript actions_format attachments_format members_format ending_before before_cursor embed "
    "allow_async async locale accept view depth"
)
ORDERS = _set_of("sort sorts order order_by orderby sort_by sortby direction sort_order sort_direction sort_ascending")
QUERIES = _set_of("query q search search_query term text keyword keywords search_term name_contains")

RANGE_SUFFIXES: dict[str, str] = {
    "_gte": "ge",
    "_gt": "gt",
    "_lte": "le",
    "_lt": "lt",
    "_since": "ge",
    "_after": "gt",
    "_from": "ge",
    "_before": "lt",
    "_until": "le",
    "_to": "le",
}

TRASH_FLAGS = ("in_trash", "is_deleted", "deleted", "trashed", "is_trashed", "archived", "is_archived", "closed")
DERIVED_FLAGS = _set_of("has_children has_more has_next has_comments")
RICH_TEXT_KEYS = ("plain_text", "text", "content")
TEXT_KEYS = ("plain_text", "text", "content", "emoji", "name", "title", "display_name", "resolved_name", "value", "url")

ROLES: dict[str, str] = {
    **dict.fromkeys(("title", "name", "summary", "subject", "headline", "full_name", "display_name"), "title"),
    **dict.fromkeys(("body", "text", "content", "notes", "message", "description", "desc", "comment"), "body"),
    **dict.fromkeys(("state", "status", "in_trash", "archived", "closed", "completed"), "state"),
    "type": "type",
    **dict.fromkeys(
        ("created_at", "created_time", "created", "creation_date", "date_created", "create_time"), "created_at"
    ),
    **dict.fromkeys(
        ("updated_at", "last_edited_time", "updated", "modified_at", "last_modified", "date_updated", "update_time"),
        "updated_at",
    ),
    **dict.fromkeys(("starts_at", "start_at", "start_on", "start_time", "start_date", "start"), "starts_at"),
    **dict.fromkeys(
        ("ends_at", "end_at", "due_on", "due_at", "end_time", "end_date", "due_date", "due", "end"), "ends_at"
    ),
    **dict.fromkeys(("amount", "total", "price", "amount_due"), "amount"),
    "quantity": "quantity",
    **dict.fromkeys(("email", "email_address"), "email"),
    **dict.fromkeys(("url", "html_url", "permalink_url", "short_url"), "url"),
    **dict.fromkeys(("position", "pos", "rank", "sort_index"), "position"),
}
# Role words of a person, and the column role that they give.
PERSON_WORDS: dict[str, str] = {
    **dict.fromkeys(("created_by", "author", "creator", "reporter", "submitter", "sender", "posted_by"), "author"),
    **dict.fromkeys(("assignee", "owner", "owned_by", "assigned_to", "lead", "responsible"), "owner"),
    **dict.fromkeys(("last_edited_by", "updated_by", "modified_by", "closed_by", "completed_by"), "editor"),
    **dict.fromkeys(("user", "person", "member", "reviewer", "approver"), "person"),
}
PERSON_ENTITIES = ("user", "person", "member", "account")

DISPLAY_LAST = _set_of("url public_url")

# Words of a summary that begin what is no part of a name, and words that only say how many.
PREPOSITIONS = _set_of("by with from for in on at as using via to and that which your")
QUANTIFIERS = _set_of("all every any new existing single specific multiple given item items object objects")
# Words of a name that are no nouns.
# Words that say how a list comes, not what is in it.
PAGING_WORDS = _set_of("all paginated paged default")
# Records under a record of the same kind whose place is told by its parent column.
CHILD_WORDS = _set_of("child children reply replies descendant nested")
FILLER_WORDS = _set_of("all for by of in to from with your my the a an its on s and or as current authenticated")
