-- Owned by the game service: finished matches, and the logs of their tables.

CREATE TABLE matches (
    match_id TEXT NOT NULL,
    ended_ms BIGINT NOT NULL,
    -- A spatz.v1.MatchSummary.
    summary BLOB NOT NULL,
    CONSTRAINT matches_pk PRIMARY KEY (match_id)
);

-- One row for each seat that a player had at the end.
CREATE TABLE match_players (
    match_id TEXT NOT NULL,
    seat BIGINT NOT NULL,
    player_id TEXT NOT NULL,
    place BIGINT NOT NULL,
    score BIGINT NOT NULL,
    -- As in matches, for the order of a player's list.
    ended_ms BIGINT NOT NULL,
    CONSTRAINT match_players_pk PRIMARY KEY (match_id, seat),
    CONSTRAINT match_players_match_fk FOREIGN KEY (match_id) REFERENCES matches (match_id)
);

CREATE INDEX match_players_newest ON match_players (player_id, ended_ms, match_id);

-- Deals are archived while the match still runs, so there is no reference to matches.
CREATE TABLE match_segments (
    match_id TEXT NOT NULL,
    -- Number of the deal that the segment ends with; 0: what came after the last one.
    deal BIGINT NOT NULL,
    first_version BIGINT NOT NULL,
    -- A spatz.v1.ArchivedSegment.
    segment BLOB NOT NULL,
    CONSTRAINT match_segments_pk PRIMARY KEY (match_id, deal)
);
