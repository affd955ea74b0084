-- Owned by matchmaking: why the players of each match were brought together.
CREATE TABLE pairings (
    match_id TEXT NOT NULL,
    made_ms BIGINT NOT NULL,
    -- A spatz.v1.Pairing.
    pairing BLOB NOT NULL,
    CONSTRAINT pairings_pkey PRIMARY KEY (match_id)
);

CREATE INDEX pairings_age_idx ON pairings (made_ms, match_id);

-- What follows is about tickets, which only the embedded store keeps in SQL.

-- Players who must not sit at the same table, separated by commas.
ALTER TABLE tickets ADD COLUMN blocked TEXT NOT NULL DEFAULT '';
ALTER TABLE tickets ADD COLUMN protocol BIGINT NOT NULL DEFAULT 1;
-- Code and number of members of a party; both or none.
ALTER TABLE tickets ADD COLUMN party TEXT;
ALTER TABLE tickets ADD COLUMN party_size BIGINT;
-- Why it ended without a table.
ALTER TABLE tickets ADD COLUMN reason TEXT;

CREATE INDEX tickets_party_idx ON tickets (party)
    WHERE party IS NOT NULL AND state IN ('waiting', 'proposed');

-- The spatz.v1.Pairing of the proposal. Once the table is open it goes to pairings_due, and from
-- there to pairings.
ALTER TABLE proposals ADD COLUMN pairing BLOB NOT NULL DEFAULT x'';

CREATE TABLE pairings_due (
    match_id TEXT NOT NULL,
    pairing BLOB NOT NULL,
    CONSTRAINT pairings_due_pkey PRIMARY KEY (match_id)
);
