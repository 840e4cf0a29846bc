//! Valid tokens with pseudo-random mutations.

use crate::token_forge::TokenForge;

/// The number of mutated tokens per test.
const ROUNDS: usize = 3_000;
/// Characters with a meaning for a token parser.
const HOSTILE: &[char] = &[
    '.', '=', '-', '_', '+', '/', 'A', '{', '}', '"', ':', ',', '0', '9', 'e', '\\', '\0', '\n', ' ', 'é', '\u{202e}',
];

/// A generator with a fixed seed, so that failures are reproducible.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // Xorshift by Marsaglia.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Applies one to three mutations to a text.
fn mutate(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let (mut chars, other): (Vec<char>, Vec<char>) = (text.chars().collect(), other.chars().collect());
    for _ in 0..=numbers.below(3) {
        let index = numbers.below(chars.len().max(1)).min(chars.len());
        let hostile = HOSTILE[numbers.below(HOSTILE.len())];
        match numbers.below(6) {
            0 => chars.insert(index, hostile),
            1 if index < chars.len() => chars[index] = hostile,
            2 if index < chars.len() => drop(chars.remove(index)),
            3 => chars.truncate(index),
            4 => chars.extend_from_within(index..),
            _ => drop(chars.splice(index.., other[index.min(other.len())..].iter().copied())),
        }
    }
    chars.into_iter().collect()
}

/// Presents mutated texts of valid tokens: all are refused.
pub(crate) async fn attack_texts(forge: &TokenForge) {
    let other = forge.other.secret.as_deref().expect("a token");
    let mut numbers = Numbers(0x5eed_0001);
    for round in 0..ROUNDS {
        let token = mutate(&forge.good, other, &mut numbers);
        if token != forge.good && token != other {
            forge.assert_refused(&token, &format!("round {round}: {token}")).await;
        }
    }
}

/// Presents mutated claims with valid signatures, as a faulty hub would sign them. Some are still valid; they
/// authenticate the same member with no more than the granted scopes.
pub(crate) async fn attack_claims(forge: &TokenForge) {
    let (head, claims) = (forge.head.to_string(), forge.claims.to_string());
    let good = forge.hub.sign_in(&forge.good).await.expect("good");
    let mut numbers = Numbers(0x5eed_0002);
    let mut refused = 0;
    for round in 0..ROUNDS {
        let text = mutate(&claims, &claims, &mut numbers);
        match forge.hub.sign_in(&forge.sign(&head, &text)).await {
            Ok(caller) => {
                assert_eq!(caller.member, good.member, "round {round}: {text}");
                assert!(good.grant.scopes.contains_all(caller.grant.scopes), "round {round}: {text}");
                assert!(caller.grant.expires_at <= good.grant.expires_at, "round {round}: {text}");
            }
            Err(failure) => {
                assert!(failure.refusal().is_some(), "round {round}: {text}: {failure}");
                refused += 1;
            }
        }
    }
    assert!(refused > ROUNDS / 2, "the claims were hardly changed: {refused}");
}
