-- Owned by the ranking service. Instants are milliseconds since 1970 UTC; ids of matches and
-- players are UUIDs as lower-case text.

-- A ladder is one season of a rule set.
CREATE TABLE ladders (
    id TEXT NOT NULL,
    ruleset TEXT NOT NULL,
    season BIGINT NOT NULL,
    opened_ms BIGINT NOT NULL,
    closed_ms BIGINT,
    CONSTRAINT ladders_pk PRIMARY KEY (id),
    CONSTRAINT ladders_ruleset_season_key UNIQUE (ruleset, season),
    CONSTRAINT ladders_season_check CHECK (season >= 1),
    CONSTRAINT ladders_closed_check CHECK (closed_ms >= opened_ms)
);

-- A rule set has at most one open season.
CREATE UNIQUE INDEX ladders_open_key ON ladders (ruleset) WHERE closed_ms IS NULL;

-- A row here is what makes a match count once.
CREATE TABLE rated_matches (
    id TEXT NOT NULL,
    ladder_id TEXT NOT NULL,
    ended_ms BIGINT NOT NULL,
    recorded_ms BIGINT NOT NULL,
    CONSTRAINT rated_matches_pk PRIMARY KEY (id),
    CONSTRAINT rated_matches_ladder_fk FOREIGN KEY (ladder_id) REFERENCES ladders (id)
);

CREATE TABLE ratings (
    player_id TEXT NOT NULL,
    ladder_id TEXT NOT NULL,
    rating BIGINT NOT NULL,
    peak BIGINT NOT NULL,
    matches BIGINT NOT NULL,
    -- Since when the rating is what it is: of equal ratings the older stands higher.
    reached_ms BIGINT NOT NULL,
    -- End of the latest rated match.
    last_ms BIGINT NOT NULL,
    CONSTRAINT ratings_pk PRIMARY KEY (player_id, ladder_id),
    CONSTRAINT ratings_ladder_fk FOREIGN KEY (ladder_id) REFERENCES ladders (id),
    CONSTRAINT ratings_peak_check CHECK (peak >= rating),
    CONSTRAINT ratings_matches_check CHECK (matches >= 0)
) WITHOUT ROWID;

-- The order of the standings, with the columns that say who is listed: pages and ranks are read
-- from this index alone.
CREATE INDEX ratings_standings_idx
    ON ratings (ladder_id, rating DESC, reached_ms, player_id, matches, last_ms);

-- What every match did to every player, and all that is needed to rate it again.
CREATE TABLE rating_history (
    player_id TEXT NOT NULL,
    ladder_id TEXT NOT NULL,
    -- The player's first, second, ... rated match on the ladder.
    number BIGINT NOT NULL,
    match_id TEXT NOT NULL,
    at_ms BIGINT NOT NULL,
    rating_before BIGINT NOT NULL,
    rating_after BIGINT NOT NULL,
    place BIGINT NOT NULL,
    score BIGINT NOT NULL,
    -- 0 or 1.
    abandoned BIGINT NOT NULL,
    CONSTRAINT rating_history_pk PRIMARY KEY (player_id, ladder_id, number),
    CONSTRAINT rating_history_match_key UNIQUE (match_id, player_id),
    CONSTRAINT rating_history_match_fk FOREIGN KEY (match_id) REFERENCES rated_matches (id),
    CONSTRAINT rating_history_rating_fk
        FOREIGN KEY (player_id, ladder_id) REFERENCES ratings (player_id, ladder_id),
    CONSTRAINT rating_history_number_check CHECK (number >= 1),
    CONSTRAINT rating_history_abandoned_check CHECK (abandoned IN (0, 1))
) WITHOUT ROWID;
