//! `docs/fair-cards.md` against the engine, and what its shuffle promises.

use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use rules::{Card, CardSet, Deal, Deck, NONCE_BYTES_MAX, PACK, Seat, Shuffle, seed_hash};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::kit::{brixental, cards, list, seat};

const DOCUMENT: &str = include_str!("../../../../docs/fair-cards.md");

/// The document's block of test vectors.
fn vectors() -> Vec<Value> {
    let (_, rest) = DOCUMENT.split_once("```json\n").unwrap();
    let (json, _) = rest.split_once("\n```").unwrap();
    serde_json::from_str(json).unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(text(value)).unwrap()
}

fn seed(vector: &Value) -> [u8; 32] {
    bytes(&vector["server_seed"]).try_into().unwrap()
}

fn nonces(vector: &Value) -> Vec<Vec<u8>> {
    array(&vector["nonces"]).iter().map(bytes).collect()
}

fn shuffle(vector: &Value) -> Shuffle {
    Shuffle::new(seed(vector), nonces(vector)).unwrap()
}

/// The key of a deal, put together as the document says.
fn key(vector: &Value, deal: u32) -> [u8; 32] {
    let nonces = nonces(vector);
    let mut input = b"spatz/fair-cards/1".to_vec();
    input.extend(seed(vector));
    input.push(nonces.len() as u8);
    for nonce in nonces {
        input.push(nonce.len() as u8);
        input.extend(nonce);
    }
    input.extend(deal.to_be_bytes());
    Sha256::digest(input).into()
}

/// The first words of a key stream.
fn words<const N: usize>(key: [u8; 32]) -> [u32; N] {
    let mut cipher = ChaCha20::new(&key.into(), &[0; 12].into());
    std::array::from_fn(|_| {
        let mut word = [0; 4];
        cipher.apply_keystream(&mut word);
        u32::from_le_bytes(word)
    })
}

#[test]
fn the_vectors_of_the_document_cover_what_an_implementation_can_get_wrong() {
    let vectors = vectors();
    assert!(vectors.len() >= 3);
    let any = |what: fn(&Value) -> bool| vectors.iter().any(what);
    assert!(any(|v| nonces(v).len() == 3) && any(|v| nonces(v).len() == 4));
    assert!(any(|v| nonces(v).iter().all(Vec::is_empty)));
    assert!(any(|v| nonces(v)
        .iter()
        .any(|n| n.len() == NONCE_BYTES_MAX)));
    let deals = || vectors.iter().flat_map(|v| array(&v["deals"]));
    assert!(deals().any(|deal| number(&deal["number"]) > 0xff));
}

#[test]
fn the_engine_deals_the_vectors_of_the_document() {
    for vector in vectors() {
        let what = text(&vector["what"]);
        assert_eq!(
            seed_hash(&seed(&vector)).to_vec(),
            bytes(&vector["seed_hash"]),
            "{what}"
        );
        let first = shuffle(&vector).first_dealer();
        assert_eq!(
            u32::from(first.number()),
            number(&vector["first_dealer"]),
            "{what}"
        );
        for expected in array(&vector["deals"]) {
            let deck = shuffle(&vector).deck(number(&expected["number"]));
            assert_eq!(
                deck.cards().to_vec(),
                list(text(&expected["deck"])),
                "{what}"
            );
            let hands = array(&expected["hands"]);
            let rules = brixental(hands.len() as u8, &[]);
            let dealer = seat(number(&expected["dealer"]) as u8);
            let deal = Deal::new(rules, dealer, &deck);
            for (seat, hand) in rules.seats().zip(hands) {
                assert_eq!(deal.hand(seat), cards(text(hand)), "{what}, seat {seat}");
            }
            assert_eq!(deal.talon(), cards(text(&expected["talon"])), "{what}");
        }
    }
}

#[test]
fn the_steps_on_the_way_are_those_of_the_document() {
    for vector in vectors() {
        for deal in array(&vector["deals"]) {
            let key = key(&vector, number(&deal["number"]));
            assert_eq!(hex::encode(key), text(&deal["key"]));
            let keystream: Vec<u8> = words::<4>(key)
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect();
            assert_eq!(hex::encode(keystream), text(&deal["keystream"]));
        }
    }
}

#[test]
fn the_last_vector_holds_a_word_that_must_be_skipped() {
    let vectors = vectors();
    let vector = vectors.last().unwrap();
    let deal = number(&vector["deals"][0]["number"]);
    let twelfth: u32 = words::<12>(key(vector, deal))[11];
    // The first eleven are for bounds 36 to 26.
    let bound = 25;
    let skipped_from = (1_u64 << 32) - (1_u64 << 32) % bound;
    assert_eq!(twelfth, 4_294_967_288);
    assert!(u64::from(twelfth) >= skipped_from);
}

#[test]
fn the_document_lists_the_pack_in_its_order() {
    let rows = DOCUMENT
        .lines()
        .filter(|line| line.contains("6 ") && line.starts_with("| "));
    let listed: Vec<Card> = rows
        .flat_map(|line| line.split_whitespace())
        .filter_map(|word| word.parse().ok())
        .collect();
    let pack: Vec<Card> = (0..PACK).filter_map(Card::from_index).collect();
    assert_eq!(listed, pack);
}

#[test]
fn a_shuffle_needs_a_short_nonce_for_each_of_1_to_4_seats() {
    let makes = |nonces: Vec<Vec<u8>>| Shuffle::new([7; 32], nonces).is_some();
    assert!(makes(vec![vec![0; NONCE_BYTES_MAX]; 4]));
    assert!(makes(vec![Vec::new(); 3]));
    assert!(!makes(vec![
        Vec::new(),
        vec![0; NONCE_BYTES_MAX + 1],
        Vec::new()
    ]));
    assert!(!makes(Vec::new()));
    assert!(!makes(vec![Vec::new(); 5]));
}

#[test]
fn every_input_changes_the_cards() {
    let deck = |seed: u8, nonces: [&str; 3], deal: u32| {
        let nonces = nonces.map(|nonce| nonce.as_bytes().to_vec()).to_vec();
        Shuffle::new([seed; 32], nonces).unwrap().deck(deal)
    };
    let decks = [
        deck(1, ["a", "b", "c"], 1),
        deck(2, ["a", "b", "c"], 1),
        deck(1, ["a", "b", "c"], 2),
        deck(1, ["a", "b", "d"], 1),
        deck(1, ["b", "a", "c"], 1),
        // The same bytes, cut at other places.
        deck(1, ["ab", "", "c"], 1),
        deck(1, ["", "", "abc"], 1),
    ];
    for (n, deck) in decks.iter().enumerate() {
        assert!(!decks[..n].contains(deck), "deck {n} is dealt twice");
    }
    assert_eq!(deck(1, ["a", "b", "c"], 1), decks[0], "the same again");
}

#[test]
fn a_shuffle_does_not_print_its_seed() {
    let shuffle = Shuffle::new([0xab; 32], vec![Vec::new(); 3]).unwrap();
    let printed = format!("{shuffle:?}");
    assert!(
        !printed.contains("171") && !printed.contains("ab"),
        "{printed}"
    );
}

/// Decks of many matches and deals.
fn decks(count: u32) -> impl Iterator<Item = Deck> {
    (0..count).map(|n| {
        let mut seed = [0; 32];
        seed[..4].copy_from_slice(&(n / 4).to_le_bytes());
        Shuffle::new(seed, vec![Vec::new(); 4])
            .unwrap()
            .deck(n % 4 + 1)
    })
}

/// Pearson's statistic against an even distribution, summed over rows.
fn chi_square(rows: &[Vec<u32>]) -> f64 {
    let row = |counts: &Vec<u32>| {
        let even = f64::from(counts.iter().sum::<u32>()) / counts.len() as f64;
        let deviation = |&count: &u32| (f64::from(count) - even).powi(2) / even;
        counts.iter().map(deviation).sum::<f64>()
    };
    rows.iter().map(row).sum()
}

#[test]
fn each_card_is_equally_likely_at_each_place() {
    let mut counts = vec![vec![0; PACK]; PACK];
    for deck in decks(3600) {
        for (place, card) in deck.cards().iter().enumerate() {
            counts[place][card.index()] += 1;
        }
    }
    // 35 × 35 degrees of freedom: mean 1225, standard deviation 49.5. Six of those either way:
    // too even is as suspicious as too uneven.
    let statistic = chi_square(&counts);
    assert!((statistic - 1225.0).abs() < 300.0, "{statistic}");
}

#[test]
fn neighbours_in_the_deck_are_independent() {
    let mut counts = vec![vec![0; PACK - 1]; PACK];
    for deck in decks(3600) {
        for pair in deck.cards().windows(2) {
            let (first, next) = (pair[0].index(), pair[1].index());
            counts[first][next - usize::from(next > first)] += 1;
        }
    }
    // 36 rows of 35 cards that may follow: about 1224 degrees of freedom, as above.
    let statistic = chi_square(&counts);
    assert!((statistic - 1224.0).abs() < 300.0, "{statistic}");
}

#[test]
fn each_seat_is_equally_likely_to_deal_first() {
    for players in [3, 4] {
        let mut counts = vec![0; players];
        for n in 0..1200_u32 {
            let mut seed = [0; 32];
            seed[..4].copy_from_slice(&n.to_le_bytes());
            let shuffle = Shuffle::new(seed, vec![Vec::new(); players]).unwrap();
            let first: Seat = shuffle.first_dealer();
            counts[first.index()] += 1;
        }
        // 2 or 3 degrees of freedom: beyond 25 once in 100,000.
        assert!(chi_square(&[counts.clone()]) < 25.0, "{counts:?}");
    }
}

#[test]
fn a_deck_is_a_whole_pack() {
    for deck in decks(200) {
        assert_eq!(
            deck.cards().iter().copied().collect::<CardSet>(),
            CardSet::FULL
        );
    }
}
