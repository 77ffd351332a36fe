CREATE TABLE browsers (
  "key" TEXT NOT NULL,
  accepts_flags INTEGER NOT NULL CHECK (accepts_flags IN (0, 1)),
  accepts_webextensions INTEGER NOT NULL CHECK (accepts_webextensions IN (0, 1)),
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  pref_url TEXT,
  preview_name TEXT,
  upstream TEXT,
  PRIMARY KEY ("key")
) STRICT;

CREATE TABLE browser_releases (
  browser_key TEXT NOT NULL,
  code TEXT NOT NULL,
  index_ INTEGER NOT NULL,
  release_date TEXT,
  release_notes TEXT,
  status TEXT NOT NULL CHECK (status IN ('beta', 'current', 'esr', 'nightly', 'planned', 'retired')),
  engine TEXT CHECK (engine IN ('Blink', 'EdgeHTML', 'Gecko', 'Presto', 'Trident', 'V8', 'WebKit')),
  engine_version TEXT,
  PRIMARY KEY (browser_key, code),
  FOREIGN KEY (browser_key) REFERENCES browsers ("key")
) STRICT;

CREATE TABLE features (
  "key" TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('feature', 'moved', 'split')),
  name TEXT,
  status_baseline TEXT CHECK (status_baseline IN ('false', 'high', 'low')),
  status_baseline_high_date TEXT,
  status_baseline_low_date TEXT,
  discouraged_removal_date TEXT,
  redirect_target TEXT,
  PRIMARY KEY ("key")
) STRICT;

CREATE TABLE feature_status_supports (
  feature_key TEXT NOT NULL,
  code TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (feature_key, code),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  FOREIGN KEY (code) REFERENCES browsers ("key")
) STRICT;
CREATE INDEX feature_status_supports_code ON feature_status_supports (code);

CREATE TABLE snapshots (
  "key" TEXT NOT NULL,
  name TEXT NOT NULL,
  spec TEXT NOT NULL,
  PRIMARY KEY ("key")
) STRICT;

CREATE TABLE feature_snapshots (
  feature_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  snapshot TEXT NOT NULL,
  PRIMARY KEY (feature_key, position),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  FOREIGN KEY (snapshot) REFERENCES snapshots ("key")
) STRICT;
CREATE INDEX feature_snapshots_snapshot ON feature_snapshots (snapshot);

-- People who look after the catalogue.
CREATE TABLE curators (
  curator_id INTEGER NOT NULL,
  full_name TEXT NOT NULL,
  email TEXT NOT NULL,
  duty TEXT NOT NULL CHECK (duty IN ('editor', 'reviewer')),
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'away', 'left')),
  joined_on TEXT NOT NULL,
  PRIMARY KEY (curator_id),
  UNIQUE (full_name)
) STRICT;

-- Named lists of entries, kept for a purpose.
CREATE TABLE collections (
  collection_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  owner_id INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'draft' CHECK (state IN ('draft', 'published', 'archived')),
  created_at TEXT NOT NULL,
  published_at TEXT,
  PRIMARY KEY (collection_id),
  UNIQUE (name),
  FOREIGN KEY (owner_id) REFERENCES curators (curator_id)
) STRICT;
CREATE INDEX collections_owner_id ON collections (owner_id);

-- Which entries a collection holds, in their order.
CREATE TABLE collection_items (
  item_id INTEGER NOT NULL,
  collection_id INTEGER NOT NULL,
  feature_key TEXT NOT NULL,
  place INTEGER NOT NULL,
  added_at TEXT NOT NULL,
  PRIMARY KEY (item_id),
  UNIQUE (collection_id, feature_key),
  FOREIGN KEY (collection_id) REFERENCES collections (collection_id),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  CHECK (place >= 1)
) STRICT;
CREATE INDEX collection_items_collection_id ON collection_items (collection_id);
CREATE INDEX collection_items_feature_key ON collection_items (feature_key);

-- Requests that a field of a feature should read otherwise.
CREATE TABLE corrections (
  correction_id INTEGER NOT NULL,
  feature_key TEXT NOT NULL,
  field TEXT NOT NULL,
  proposed_value TEXT NOT NULL,
  evidence TEXT NOT NULL CHECK (evidence IN ('official', 'secondary', 'none')),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'accepted', 'rejected', 'withdrawn')),
  filed_by INTEGER NOT NULL,
  reviewer_id INTEGER,
  due_on TEXT NOT NULL,
  ground TEXT CHECK (ground IN ('no_evidence', 'out_of_scope', 'already_right', 'duplicate')),
  filed_at TEXT NOT NULL,
  decided_at TEXT,
  PRIMARY KEY (correction_id),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  FOREIGN KEY (filed_by) REFERENCES curators (curator_id),
  FOREIGN KEY (reviewer_id) REFERENCES curators (curator_id)
) STRICT;
CREATE INDEX corrections_feature_key ON corrections (feature_key);
CREATE INDEX corrections_filed_by ON corrections (filed_by);
CREATE INDEX corrections_reviewer_id ON corrections (reviewer_id);
CREATE INDEX corrections_feature_key_field ON corrections (feature_key, field);
CREATE INDEX corrections_reviewer_id_state ON corrections (reviewer_id, state);

-- Accepted corrections in force. The feature itself stays as its source states it.
CREATE TABLE overrides (
  override_id INTEGER NOT NULL,
  feature_key TEXT NOT NULL,
  field TEXT NOT NULL,
  value TEXT NOT NULL,
  correction_id INTEGER NOT NULL,
  since TEXT NOT NULL,
  PRIMARY KEY (override_id),
  UNIQUE (feature_key, field),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  FOREIGN KEY (correction_id) REFERENCES corrections (correction_id)
) STRICT;
CREATE INDEX overrides_feature_key ON overrides (feature_key);
CREATE INDEX overrides_correction_id ON overrides (correction_id);

-- Marks on features that need a look.
CREATE TABLE entry_flags (
  flag_id INTEGER NOT NULL,
  feature_key TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('stale', 'disputed', 'incomplete', 'unclear')),
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'cleared')),
  note TEXT,
  raised_by INTEGER,
  raised_at TEXT NOT NULL,
  cleared_at TEXT,
  PRIMARY KEY (flag_id),
  FOREIGN KEY (feature_key) REFERENCES features ("key"),
  FOREIGN KEY (raised_by) REFERENCES curators (curator_id)
) STRICT;
CREATE INDEX entry_flags_feature_key ON entry_flags (feature_key);
CREATE INDEX entry_flags_raised_by ON entry_flags (raised_by);
CREATE INDEX entry_flags_kind_state ON entry_flags (kind, state);
