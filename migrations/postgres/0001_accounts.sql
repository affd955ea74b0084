-- Accounts, owned by the gateway. Instants are milliseconds since 1970 UTC.

-- An erased player stays as a row, so that matches keep their players; nothing personal is left.
CREATE TABLE players (
    id TEXT NOT NULL CONSTRAINT players_pkey PRIMARY KEY,
    name TEXT NOT NULL,
    -- 1 or 0: one type that both databases give back alike.
    guest BIGINT NOT NULL CONSTRAINT players_guest CHECK (guest IN (0, 1)),
    created_ms BIGINT NOT NULL,
    erased_ms BIGINT
);

-- A device that signs in as a guest. Its id is a secret: only the SHA-256 is kept.
CREATE TABLE devices (
    device_hash BYTEA NOT NULL CONSTRAINT devices_pkey PRIMARY KEY,
    player_id TEXT NOT NULL CONSTRAINT devices_player_fkey REFERENCES players (id),
    created_ms BIGINT NOT NULL,
    seen_ms BIGINT NOT NULL
);

CREATE INDEX devices_player ON devices (player_id);

-- A family of refresh tokens: one row, however often it rotated. Any token of the family that is
-- neither the current nor, for a moment, the previous one was used before and ends the family.
CREATE TABLE sessions (
    id TEXT NOT NULL CONSTRAINT sessions_pkey PRIMARY KEY,
    player_id TEXT NOT NULL CONSTRAINT sessions_player_fkey REFERENCES players (id),
    current_hash BYTEA NOT NULL,
    previous_hash BYTEA,
    -- The current token, readable only with the previous one.
    sealed BYTEA,
    rotated_ms BIGINT NOT NULL,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL
);

CREATE INDEX sessions_player ON sessions (player_id);
CREATE INDEX sessions_expiry ON sessions (expires_ms);

-- What was answered to a request that creates something, so that it can be repeated.
CREATE TABLE idempotency_keys (
    player_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- SHA-256 of method, path and body.
    fingerprint BYTEA NOT NULL,
    claimed_ms BIGINT NOT NULL,
    -- Both absent while the request runs.
    status BIGINT,
    body BYTEA,
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (player_id, idempotency_key)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (claimed_ms);
