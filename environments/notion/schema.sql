CREATE TABLE users (
  id TEXT NOT NULL,
  name TEXT,
  type TEXT NOT NULL CHECK (type IN ('person', 'bot')),
  email TEXT,
  PRIMARY KEY (id)
) STRICT;

CREATE TABLE pages (
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  parent_type TEXT NOT NULL CHECK (parent_type IN ('data_source', 'page', 'workspace')),
  parent_data_source_id TEXT,
  parent_page_id TEXT,
  in_trash INTEGER NOT NULL CHECK (in_trash IN (0, 1)),
  is_archived INTEGER NOT NULL CHECK (is_archived IN (0, 1)),
  is_locked INTEGER NOT NULL CHECK (is_locked IN (0, 1)),
  icon TEXT,
  cover TEXT,
  url TEXT NOT NULL,
  created_by TEXT NOT NULL,
  last_edited_by TEXT NOT NULL,
  created_time TEXT NOT NULL,
  last_edited_time TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (parent_data_source_id) REFERENCES data_sources (id) DEFERRABLE INITIALLY DEFERRED,
  FOREIGN KEY (parent_page_id) REFERENCES pages (id),
  FOREIGN KEY (created_by) REFERENCES users (id),
  FOREIGN KEY (last_edited_by) REFERENCES users (id),
  CHECK ((parent_type = 'data_source') = (parent_data_source_id IS NOT NULL)),
  CHECK ((parent_type = 'page') = (parent_page_id IS NOT NULL))
) STRICT;
CREATE INDEX pages_parent_data_source_id ON pages (parent_data_source_id);
CREATE INDEX pages_parent_page_id ON pages (parent_page_id);
CREATE INDEX pages_created_by ON pages (created_by);
CREATE INDEX pages_last_edited_by ON pages (last_edited_by);

CREATE TABLE blocks (
  id TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('paragraph', 'heading_1', 'heading_2', 'heading_3', 'heading_4', 'bulleted_list_item', 'numbered_list_item', 'quote', 'to_do', 'toggle', 'template', 'synced_block', 'child_page', 'child_database', 'equation', 'code', 'callout', 'divider', 'breadcrumb', 'table_of_contents', 'tab', 'column_list', 'column', 'link_to_page', 'table', 'table_row', 'meeting_notes', 'transcription', 'embed', 'bookmark', 'image', 'video', 'pdf', 'file', 'audio', 'link_preview')),
  parent_type TEXT NOT NULL CHECK (parent_type IN ('page', 'block')),
  parent_page_id TEXT,
  parent_block_id TEXT,
  in_trash INTEGER NOT NULL CHECK (in_trash IN (0, 1)),
  text TEXT,
  checked INTEGER CHECK (checked IN (0, 1)),
  language TEXT,
  content TEXT CHECK (content IS NULL OR json_valid(content)),
  position INTEGER NOT NULL,
  url TEXT,
  created_by TEXT NOT NULL,
  last_edited_by TEXT NOT NULL,
  created_time TEXT NOT NULL,
  last_edited_time TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (parent_page_id) REFERENCES pages (id),
  FOREIGN KEY (parent_block_id) REFERENCES blocks (id),
  FOREIGN KEY (created_by) REFERENCES users (id),
  FOREIGN KEY (last_edited_by) REFERENCES users (id),
  CHECK ((parent_type = 'page') = (parent_page_id IS NOT NULL)),
  CHECK ((parent_type = 'block') = (parent_block_id IS NOT NULL))
) STRICT;
CREATE INDEX blocks_parent_page_id ON blocks (parent_page_id);
CREATE INDEX blocks_parent_block_id ON blocks (parent_block_id);
CREATE INDEX blocks_created_by ON blocks (created_by);
CREATE INDEX blocks_last_edited_by ON blocks (last_edited_by);

CREATE TABLE comments (
  id TEXT NOT NULL,
  parent_type TEXT NOT NULL CHECK (parent_type IN ('page', 'block')),
  parent_page_id TEXT,
  parent_block_id TEXT,
  text TEXT NOT NULL,
  discussion_id TEXT NOT NULL,
  display_name TEXT,
  created_by TEXT NOT NULL,
  created_time TEXT NOT NULL,
  last_edited_time TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (parent_page_id) REFERENCES pages (id),
  FOREIGN KEY (parent_block_id) REFERENCES blocks (id),
  FOREIGN KEY (created_by) REFERENCES users (id),
  CHECK ((parent_type = 'page') = (parent_page_id IS NOT NULL)),
  CHECK ((parent_type = 'block') = (parent_block_id IS NOT NULL))
) STRICT;
CREATE INDEX comments_parent_page_id ON comments (parent_page_id);
CREATE INDEX comments_parent_block_id ON comments (parent_block_id);
CREATE INDEX comments_created_by ON comments (created_by);

CREATE TABLE databases (
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  parent_type TEXT NOT NULL CHECK (parent_type IN ('page', 'workspace')),
  parent_page_id TEXT,
  in_trash INTEGER NOT NULL CHECK (in_trash IN (0, 1)),
  description TEXT,
  is_inline INTEGER NOT NULL CHECK (is_inline IN (0, 1)),
  is_locked INTEGER NOT NULL CHECK (is_locked IN (0, 1)),
  icon TEXT,
  cover TEXT,
  url TEXT NOT NULL,
  created_time TEXT NOT NULL,
  last_edited_time TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (parent_page_id) REFERENCES pages (id),
  CHECK ((parent_type = 'page') = (parent_page_id IS NOT NULL))
) STRICT;
CREATE INDEX databases_parent_page_id ON databases (parent_page_id);

CREATE TABLE data_sources (
  id TEXT NOT NULL,
  title TEXT NOT NULL,
  database_id TEXT,
  in_trash INTEGER NOT NULL CHECK (in_trash IN (0, 1)),
  description TEXT,
  is_inline INTEGER NOT NULL CHECK (is_inline IN (0, 1)),
  icon TEXT,
  cover TEXT,
  url TEXT NOT NULL,
  created_by TEXT NOT NULL,
  last_edited_by TEXT NOT NULL,
  created_time TEXT NOT NULL,
  last_edited_time TEXT NOT NULL,
  PRIMARY KEY (id),
  FOREIGN KEY (database_id) REFERENCES databases (id),
  FOREIGN KEY (created_by) REFERENCES users (id),
  FOREIGN KEY (last_edited_by) REFERENCES users (id)
) STRICT;
CREATE INDEX data_sources_database_id ON data_sources (database_id);
CREATE INDEX data_sources_created_by ON data_sources (created_by);
CREATE INDEX data_sources_last_edited_by ON data_sources (last_edited_by);

-- Properties that each data source defines for its items.
CREATE TABLE properties (
  id TEXT NOT NULL,
  data_source_id TEXT NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('number', 'select', 'multi_select', 'status', 'relation', 'title', 'rich_text', 'url', 'people', 'files', 'email', 'phone_number', 'date', 'checkbox')),
  position INTEGER NOT NULL,
  related_data_source_id TEXT,
  PRIMARY KEY (id),
  UNIQUE (data_source_id, name),
  FOREIGN KEY (data_source_id) REFERENCES data_sources (id),
  FOREIGN KEY (related_data_source_id) REFERENCES data_sources (id)
) STRICT;
CREATE INDEX properties_data_source_id ON properties (data_source_id);
CREATE INDEX properties_related_data_source_id ON properties (related_data_source_id);
CREATE INDEX properties_data_source_id_position ON properties (data_source_id, position);

-- Choices of select-like properties of a data source.
CREATE TABLE property_options (
  id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  name TEXT NOT NULL,
  color TEXT,
  position INTEGER NOT NULL,
  PRIMARY KEY (id),
  UNIQUE (property_id, name),
  FOREIGN KEY (property_id) REFERENCES properties (id)
) STRICT;
CREATE INDEX property_options_property_id ON property_options (property_id);

-- Values that a page carries for the properties of its collection.
CREATE TABLE property_values (
  page_id TEXT NOT NULL,
  property_id TEXT NOT NULL,
  position INTEGER NOT NULL DEFAULT 0,
  text_value TEXT,
  number_value REAL,
  date_value TEXT,
  date_end TEXT,
  boolean_value INTEGER CHECK (boolean_value IN (0, 1)),
  option_id TEXT,
  user_id TEXT,
  related_page_id TEXT,
  PRIMARY KEY (page_id, property_id, position),
  FOREIGN KEY (page_id) REFERENCES pages (id),
  FOREIGN KEY (property_id) REFERENCES properties (id),
  FOREIGN KEY (option_id) REFERENCES property_options (id),
  FOREIGN KEY (user_id) REFERENCES users (id),
  FOREIGN KEY (related_page_id) REFERENCES pages (id)
) STRICT;
CREATE INDEX property_values_property_id ON property_values (property_id);
CREATE INDEX property_values_option_id ON property_values (option_id);
CREATE INDEX property_values_user_id ON property_values (user_id);
CREATE INDEX property_values_related_page_id ON property_values (related_page_id);
