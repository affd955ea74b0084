"""Random roll-outs of a dealt hand of skat by OpenSpiel, its loop in C++, as moves per second.

OpenSpiel does not hand its roll-outs to Python: a search with a single simulation makes as many
of the root as it is told to. `deal` begins before the auction, `play` at the first card.
Prints a JSON line for each.
"""

import json
import random
import time

import pyspiel

SPELL_SECONDS = 0.5
SPELLS = 5


def dealt(game, rng):
    state = game.new_initial_state()
    while state.is_chance_node():
        actions, weights = zip(*state.chance_outcomes())
        state.apply_action(rng.choices(actions, weights)[0])
    return state


def moves_per_roll_out(state, rng):
    total = 0
    for _ in range(300):
        copy = state.clone()
        while not copy.is_terminal():
            copy.apply_action(rng.choice(copy.legal_actions()))
            total += 1
    return total / 300


def in_play(game, rng):
    """A contract that is played to the last card; null ends with the declarer's first trick."""
    while True:
        state = dealt(game, rng)
        while not state.is_terminal() and "Phase: playing" not in str(state):
            state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal() and moves_per_roll_out(state, rng) == 30:
            return state


def roll_outs_per_second(game, state):
    best, n = 0.0, 1_000
    for _ in range(SPELLS + 3):
        evaluator = pyspiel.RandomRolloutEvaluator(n_rollouts=n, seed=7)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, 1, 200, False, 11, False)
        start = time.perf_counter()
        bot.mcts_search(state)
        seconds = time.perf_counter() - start
        best = max(best, n / seconds)
        n = max(1_000, int(n * SPELL_SECONDS / seconds))
    return best


def main():
    rng = random.Random(42)
    game = pyspiel.load_game("skat")
    for part, state in [("deal", dealt(game, rng)), ("play", in_play(game, rng))]:
        moves = roll_outs_per_second(game, state) * moves_per_roll_out(state, rng)
        metric = f"peer_openspiel_skat_{part}_moves"
        print(json.dumps({"metric": metric, "value": round(moves, 1), "unit": "1/s"}))


main()
