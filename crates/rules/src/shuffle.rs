//! The fair shuffle: nobody chooses the cards, and everybody can check it afterwards.
//!
//! `docs/fair-cards.md` specifies it bit by bit. The server draws a seed and publishes its hash
//! before the first player's nonce arrives; every deal's cards follow from the seed, all
//! nonces and the number of the deal; the seed is revealed when the match has ended.

use chacha20::{
    ChaCha20,
    cipher::{KeyIvInit, StreamCipher},
};
use sha2::{Digest, Sha256};

use crate::{
    card::{Card, PACK},
    seat::{PLAYERS_MAX, Seat},
};

/// Bytes of a server seed.
pub const SEED_BYTES: usize = 32;
/// Most bytes of a seat's nonce.
pub const NONCE_BYTES_MAX: usize = 32;

const DOMAIN: &[u8] = b"spatz/fair-cards/1";

/// What is published of a server seed before the match: its SHA-256.
#[must_use]
pub fn seed_hash(seed: &[u8; SEED_BYTES]) -> [u8; 32] {
    Sha256::digest(seed).into()
}

/// A shuffled pack, in the order in which it is dealt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deck([Card; PACK]);

impl Deck {
    /// A pack in this order.
    ///
    /// Returns `None` unless every card is there once.
    #[must_use]
    pub fn from_order(cards: [Card; PACK]) -> Option<Self> {
        let all: crate::CardSet = cards.into_iter().collect();
        (all.len() == PACK).then_some(Self(cards))
    }

    /// The cards in the order in which they are dealt.
    #[must_use]
    pub const fn cards(&self) -> &[Card; PACK] {
        &self.0
    }
}

/// The randomness of a match: a server seed and a nonce for each seat.
#[derive(Clone, PartialEq, Eq)]
pub struct Shuffle {
    seed: [u8; SEED_BYTES],
    nonces: Vec<Vec<u8>>,
}

impl std::fmt::Debug for Shuffle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // The seed is a secret while the match runs.
        f.debug_struct("Shuffle")
            .field("nonces", &self.nonces)
            .finish_non_exhaustive()
    }
}

impl Shuffle {
    /// The randomness of a match.
    ///
    /// Returns `None` unless there is a nonce of at most [`NONCE_BYTES_MAX`] bytes for each of
    /// 1 to 4 seats.
    #[must_use]
    pub fn new(seed: [u8; SEED_BYTES], nonces: Vec<Vec<u8>>) -> Option<Self> {
        let bounded = (1..=PLAYERS_MAX).contains(&nonces.len())
            && nonces.iter().all(|nonce| nonce.len() <= NONCE_BYTES_MAX);
        bounded.then_some(Self { seed, nonces })
    }

    /// The pack of a deal, counted from 1.
    #[must_use]
    pub fn deck(&self, deal: u32) -> Deck {
        let mut draws = self.draws(deal);
        let mut cards = std::array::from_fn(|index| Card::from_index(index).unwrap_or(Card::SPATZ));
        for last in (1..PACK as u32).rev() {
            let other = draws.below(last + 1);
            cards.swap(last as usize, other as usize);
        }
        Deck(cards)
    }

    /// The seat that deals first.
    #[must_use]
    pub fn first_dealer(&self) -> Seat {
        let players = self.nonces.len() as u32;
        // Deal 0 is never played, so its draws are free for this.
        Seat::new(self.draws(0).below(players) as u8).unwrap_or_default()
    }

    fn draws(&self, deal: u32) -> Draws {
        let mut hash = Sha256::new();
        hash.update(DOMAIN);
        hash.update(self.seed);
        hash.update([self.nonces.len() as u8]);
        for nonce in &self.nonces {
            hash.update([nonce.len() as u8]);
            hash.update(nonce);
        }
        hash.update(deal.to_be_bytes());
        Draws(ChaCha20::new(&hash.finalize(), &[0; 12].into()))
    }
}

/// Unbiased draws from a ChaCha20 key stream.
struct Draws(ChaCha20);

impl Draws {
    /// A number from 0 to before `bound`: words that would make some numbers likelier than
    /// others are skipped.
    fn below(&mut self, bound: u32) -> u32 {
        let fair = u32::MAX - (u32::MAX % bound + 1) % bound;
        loop {
            let mut word = [0; 4];
            self.0.apply_keystream(&mut word);
            let word = u32::from_le_bytes(word);
            if word <= fair {
                return word % bound;
            }
        }
    }
}
