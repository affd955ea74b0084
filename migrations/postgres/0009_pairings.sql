-- Owned by matchmaking: why the players of each match were brought together.
CREATE TABLE pairings (
    match_id TEXT NOT NULL,
    made_ms BIGINT NOT NULL,
    -- A spatz.v1.Pairing.
    pairing BYTEA NOT NULL,
    CONSTRAINT pairings_pkey PRIMARY KEY (match_id)
);

CREATE INDEX pairings_age_idx ON pairings (made_ms, match_id);
