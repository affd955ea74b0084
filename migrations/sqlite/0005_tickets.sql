-- Owned by matchmaking. Only the embedded store keeps tickets in SQL; a cluster has them in Redis.

CREATE TABLE tickets (
    id TEXT NOT NULL,
    queue_id TEXT NOT NULL,
    player_id TEXT NOT NULL,
    player_name TEXT NOT NULL,
    rating BIGINT NOT NULL,
    -- Opponents of the player's latest matches when the ticket was made, separated by commas.
    recent TEXT NOT NULL,
    state TEXT NOT NULL,
    table_id TEXT,
    created_ms BIGINT NOT NULL,
    -- When it was matched, cancelled or expired.
    settled_ms BIGINT,
    CONSTRAINT tickets_pkey PRIMARY KEY (id),
    CONSTRAINT tickets_state_known
        CHECK (state IN ('waiting', 'proposed', 'matched', 'cancelled', 'expired')),
    CONSTRAINT tickets_table_when_claimed
        CHECK ((table_id IS NOT NULL) = (state IN ('proposed', 'matched'))),
    CONSTRAINT tickets_settled_when_over
        CHECK ((settled_ms IS NULL) = (state IN ('waiting', 'proposed')))
);

-- A player has at most one live ticket.
CREATE UNIQUE INDEX tickets_live_key ON tickets (player_id)
    WHERE state IN ('waiting', 'proposed');
CREATE INDEX tickets_waiting_idx ON tickets (queue_id, created_ms, id) WHERE state = 'waiting';
CREATE INDEX tickets_age_idx ON tickets (created_ms) WHERE state = 'waiting';
CREATE INDEX tickets_settled_idx ON tickets (settled_ms) WHERE settled_ms IS NOT NULL;
CREATE INDEX tickets_player_idx ON tickets (player_id) WHERE state = 'matched';
CREATE INDEX tickets_table_idx ON tickets (table_id) WHERE table_id IS NOT NULL;

-- Tables that claimed tickets and may not be open yet.
CREATE TABLE proposals (
    table_id TEXT NOT NULL,
    queue_id TEXT NOT NULL,
    -- The encoded OpenTableRequest, so that every attempt asks for the same table.
    request BLOB NOT NULL,
    proposed_ms BIGINT NOT NULL,
    CONSTRAINT proposals_pkey PRIMARY KEY (table_id)
);

CREATE INDEX proposals_age_idx ON proposals (proposed_ms);

-- Who matches a queue. The token grows whenever the holder changes.
CREATE TABLE queue_leases (
    queue_id TEXT NOT NULL,
    holder TEXT NOT NULL,
    token BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    CONSTRAINT queue_leases_pkey PRIMARY KEY (queue_id)
);

CREATE TABLE invites (
    code TEXT NOT NULL,
    table_id TEXT NOT NULL,
    until_ms BIGINT NOT NULL,
    CONSTRAINT invites_pkey PRIMARY KEY (code)
);

CREATE INDEX invites_until_idx ON invites (until_ms);
