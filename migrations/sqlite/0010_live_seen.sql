-- Owned by the game service: when somebody looked for due tables, in the embedded store only.

CREATE TABLE live_seen (
    -- There is one.
    part INTEGER NOT NULL,
    at_ms BIGINT NOT NULL,
    -- When the latest outage ended; 0: there was none.
    outage_ms BIGINT NOT NULL,
    CONSTRAINT live_seen_pk PRIMARY KEY (part),
    CONSTRAINT live_seen_one_part CHECK (part = 0)
);
