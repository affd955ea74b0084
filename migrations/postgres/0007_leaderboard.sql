-- Owned by the ranking service. The copy of a ladder in Redis; the embedded store has none.

-- Which copy answers, and which one is being made; null when there is none. Copies are numbered
-- so that a new one is made beside the old one.
ALTER TABLE ladders ADD COLUMN board BIGINT;
ALTER TABLE ladders ADD COLUMN building BIGINT;
ALTER TABLE ladders ADD COLUMN boards BIGINT NOT NULL DEFAULT 0;

-- Lines that changed and may not be in the copy yet: written by the transaction that changes
-- them, taken away when the copy has them.
CREATE TABLE leaderboard_outbox (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    ladder_id TEXT COLLATE "C" NOT NULL,
    player_id TEXT COLLATE "C" NOT NULL,
    CONSTRAINT leaderboard_outbox_pk PRIMARY KEY (id)
);
