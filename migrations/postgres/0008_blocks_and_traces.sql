-- Owned by the gateway.

-- Whom a player does not want to meet.
CREATE TABLE blocks (
    player_id TEXT NOT NULL,
    blocked_id TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CONSTRAINT blocks_pkey PRIMARY KEY (player_id, blocked_id),
    CONSTRAINT blocks_player_fkey FOREIGN KEY (player_id) REFERENCES players (id),
    CONSTRAINT blocks_blocked_fkey FOREIGN KEY (blocked_id) REFERENCES players (id),
    CONSTRAINT blocks_others CHECK (player_id <> blocked_id)
);

CREATE INDEX blocks_blocked ON blocks (blocked_id);

-- From where players signed in, for a month and as keyed hashes of network and kind of client: two
-- accounts of one device show up, and nobody can be looked up.
CREATE TABLE sign_in_traces (
    player_id TEXT NOT NULL,
    trace BYTEA NOT NULL,
    first_ms BIGINT NOT NULL,
    last_ms BIGINT NOT NULL,
    CONSTRAINT sign_in_traces_pkey PRIMARY KEY (player_id, trace),
    CONSTRAINT sign_in_traces_player_fkey FOREIGN KEY (player_id) REFERENCES players (id)
);

CREATE INDEX sign_in_traces_trace ON sign_in_traces (trace);
CREATE INDEX sign_in_traces_age ON sign_in_traces (last_ms);

-- The key of those hashes: one random row.
CREATE TABLE trace_key (
    id BIGINT NOT NULL CONSTRAINT trace_key_pkey PRIMARY KEY,
    secret BYTEA NOT NULL,
    CONSTRAINT trace_key_single CHECK (id = 1)
);
