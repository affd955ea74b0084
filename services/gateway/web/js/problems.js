// What went wrong, in words a player understands. The server's codes are stable; its texts are
// for developers.

import { choiceInWords, optionInWords } from './lobby/option-words.js';

const WORDS = {
  offline: 'The server cannot be reached. Check your connection and try again.',
  unavailable: 'The server is busy. Please try again in a moment.',
  timeout: 'That took too long. Please try again.',
  rate_limited: 'That was a bit fast. Please wait a moment.',
  not_your_turn: 'It is not your turn.',
  wrong_phase: 'That is not possible right now.',
  illegal_action: 'That move is not allowed.',
  card_not_held: 'You do not hold that card.',
  unknown_card: 'You do not hold that card.',
  must_follow_suit: 'You must follow the suit that was led.',
  must_trump: 'You cannot follow, so you must play a trump.',
  bid_too_low: 'Your bid must be higher than the last one.',
  wrong_discard_count: 'Choose exactly as many cards as you took up.',
  discard_not_allowed: 'One of these cards may not be laid off.',
  stale_version: 'The table moved on meanwhile. Please look and choose again.',
  match_over: 'This match is over.',
  table_not_found: 'This table no longer exists.',
  invite_not_found: 'No table has this code. Check the letters.',
  table_full: 'All seats at this table are taken.',
  already_playing: 'You still sit at a table.',
  already_matched: 'Your table has just been found.',
  ticket_exists: 'You wait in a queue already.',
  party_not_found: 'No party with this code waits at such a table. Check code and table.',
  party_not_allowed: 'A party of this size cannot play here.',
  list_full: 'Your list of blocked players is full. Take somebody off it first.',
  not_found: 'There is nothing here any more.',
  ticket_not_found: 'The search has ended. Please start again.',
  queue_not_found: 'This queue is closed. Please choose another one.',
  invalid_rules: 'These rules cannot be played. Please choose others.',
  invalid_body: 'The server did not accept that. Please check what you typed.',
};

const NEEDS = /option (\w+): expected together with (\w+) = (\w+)/;
const VALUE = /option (\w+): expected (.+)/;

/** Which option is refused and why, or null when the server's text says something else. */
function refusedRules(detail = '') {
  const needs = NEEDS.exec(detail);
  if (needs) {
    const [, name, other, value] = needs;
    const needed = `${optionInWords(other)}: ${choiceInWords(other, value)}`;
    return `“${optionInWords(name)}” works only with “${needed}”.`;
  }
  const refused = VALUE.exec(detail);
  return refused && `“${optionInWords(refused[1])}”: please choose ${refused[2]}.`;
}

export const inWords = (problem) =>
  (problem.code === 'invalid_rules' && refusedRules(problem.body.detail)) ||
  (WORDS[problem.code] ?? 'Something went wrong. Please try again.');
