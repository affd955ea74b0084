-- For pgbench: the rows that a rated match of four writes, in a transaction that knows nothing of
-- ratings: no check, no lock but those of the rows themselves, nothing read by the client.
-- The ids of players are those of the benchmark.
\set first random(0, :players - 1)
\set second random(0, :players - 1)
\set third random(0, :players - 1)
\set fourth random(0, :players - 1)
\set match random(1, 1000000000000000)
BEGIN;
INSERT INTO rated_matches (id, ladder_id, ended_ms, recorded_ms)
VALUES ('bare-' || :match, 'brixental-s1', 1, 1);
UPDATE ratings SET rating = rating + 1, peak = peak + 1, matches = matches + 1,
    reached_ms = reached_ms + 1, last_ms = last_ms + 1
WHERE ladder_id = 'brixental-s1' AND player_id IN
    (player(:first), player(:second), player(:third), player(:fourth));
INSERT INTO rating_history (player_id, ladder_id, number, match_id, at_ms, rating_before,
    rating_after, place, score, abandoned, excluded)
SELECT player_id, ladder_id, matches, 'bare-' || :match, 1, rating - 1, rating, 1, 10, 0, 0
FROM ratings
WHERE ladder_id = 'brixental-s1' AND player_id IN
    (player(:first), player(:second), player(:third), player(:fourth));
INSERT INTO leaderboard_outbox (ladder_id, player_id)
VALUES ('brixental-s1', player(:first)), ('brixental-s1', player(:second)),
    ('brixental-s1', player(:third)), ('brixental-s1', player(:fourth));
COMMIT;
