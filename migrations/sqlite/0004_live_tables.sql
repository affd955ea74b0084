-- Owned by the game service: the logs of live tables, in the embedded store only.

CREATE TABLE live_tables (
    table_id TEXT NOT NULL,
    -- Version of the last event.
    head BIGINT NOT NULL,
    -- Its time.
    last_ms BIGINT NOT NULL,
    -- When the table is due; never: NULL.
    wake_at BIGINT,
    -- When the table may be dropped; never: NULL.
    delete_at BIGINT,
    CONSTRAINT live_tables_pk PRIMARY KEY (table_id),
    CONSTRAINT live_tables_head_positive CHECK (head > 0)
);

CREATE INDEX live_tables_wake_at ON live_tables (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX live_tables_delete_at ON live_tables (delete_at) WHERE delete_at IS NOT NULL;

CREATE TABLE live_events (
    table_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    event BLOB NOT NULL,
    CONSTRAINT live_events_pk PRIMARY KEY (table_id, version),
    CONSTRAINT live_events_table_fk
        FOREIGN KEY (table_id) REFERENCES live_tables (table_id) ON DELETE CASCADE
) WITHOUT ROWID;

CREATE TABLE live_commands (
    table_id TEXT NOT NULL,
    -- Digest of the seat and the command's id.
    command BLOB NOT NULL,
    -- The head after the command.
    version BIGINT NOT NULL,
    fingerprint BIGINT NOT NULL,
    CONSTRAINT live_commands_pk PRIMARY KEY (table_id, command),
    CONSTRAINT live_commands_table_fk
        FOREIGN KEY (table_id) REFERENCES live_tables (table_id) ON DELETE CASCADE
) WITHOUT ROWID;
