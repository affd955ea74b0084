// The options of the rule sets in words. An option that is not listed shows the server's own name.

const OPTIONS = {
  length: 'Match length',
  max_rounds: 'Most rounds of a match to a score',
  max_thrown_in: 'Thrown-in deals until the deal moves on',
  discard_from: 'Lay off from',
  matsch_factor: 'Loss without a trick counts times',
  spatz: 'Spatz',
  spatz_multiplied: 'Spatz is multiplied too',
  doubling: 'Doubling',
  pickup_trump: 'Trump in a pick-up',
  pay_from: 'Pay from',
  stake: 'Stake into the pot',
};

const CHOICES = {
  original_hand: 'own cards only',
  any: 'any card',
  'pickup_trump/any': 'any suit',
  hearts: 'hearts only',
  pocket: 'each other’s pocket',
  pot: 'the pot',
  true: 'on',
  false: 'off',
  rounds: 'rounds',
  points: 'to a score',
};

const plain = (name) => name.replaceAll('_', ' ');

export const optionInWords = (name) => OPTIONS[name] ?? plain(name);

export const choiceInWords = (option, value) =>
  CHOICES[`${option}/${value}`] ?? CHOICES[value] ?? plain(String(value));
