-- Owned by the ranking service.

-- When the season closes by itself; never when null.
ALTER TABLE ladders ADD COLUMN closes_ms BIGINT;
-- Who is on the final standings, fixed when the season closes: fewest rated matches, and earliest
-- end of the latest one.
ALTER TABLE ladders ADD COLUMN listed_matches BIGINT;
ALTER TABLE ladders ADD COLUMN listed_since_ms BIGINT;

-- 1: taken out of the ladder. Not listed, and counts for nobody.
ALTER TABLE ratings ADD COLUMN excluded BIGINT NOT NULL DEFAULT 0
    CONSTRAINT ratings_excluded_check CHECK (excluded IN (0, 1));
-- 1: the match was rated as if the player had not sat there.
ALTER TABLE rating_history ADD COLUMN excluded BIGINT NOT NULL DEFAULT 0
    CONSTRAINT rating_history_excluded_check CHECK (excluded IN (0, 1));

-- As before, with the new column, so that the index alone still answers.
DROP INDEX ratings_standings_idx;
CREATE INDEX ratings_standings_idx
    ON ratings (ladder_id, rating DESC, reached_ms, player_id, matches, last_ms, excluded);
