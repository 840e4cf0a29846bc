//! Good tokens, changed in ways that follow from a seed.

use crate::desk::Desk;

/// How many changed tokens are shown in one test.
const ROUNDS: usize = 3_000;
/// Characters that mean something to somebody who reads a token.
const HOSTILE: &[char] = &[
    '.', '=', '-', '_', '+', '/', 'A', '{', '}', '"', ':', ',', '0', '9', 'e', '\\', '\0', '\n', ' ', 'é', '\u{202e}',
];

/// Numbers that follow from a seed, so that a failure can be repeated.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        // The generator of Marsaglia: small, and good enough to choose places.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Changes a text at one to three places.
fn mutate(text: &str, other: &str, numbers: &mut Numbers) -> String {
    let (mut chars, other): (Vec<char>, Vec<char>) = (text.chars().collect(), other.chars().collect());
    for _ in 0..=numbers.below(3) {
        let place = numbers.below(chars.len().max(1)).min(chars.len());
        let hostile = HOSTILE[numbers.below(HOSTILE.len())];
        match numbers.below(6) {
            0 => chars.insert(place, hostile),
            1 if place < chars.len() => chars[place] = hostile,
            2 if place < chars.len() => drop(chars.remove(place)),
            3 => chars.truncate(place),
            4 => chars.extend_from_within(place..),
            _ => drop(chars.splice(place.., other[place.min(other.len())..].iter().copied())),
        }
    }
    chars.into_iter().collect()
}

/// Shows changed texts of good tokens: none lets anybody in.
pub(crate) async fn attack_texts(desk: &Desk) {
    let other = desk.other.secret.as_deref().expect("a token");
    let mut numbers = Numbers(0x5eed_0001);
    for round in 0..ROUNDS {
        let token = mutate(&desk.good, other, &mut numbers);
        if token != desk.good && token != other {
            desk.assert_refused(&token, &format!("round {round}: {token}")).await;
        }
    }
}

/// Shows changed claims under right signatures, as a hub with a fault would sign them. Some are still good; they let in
/// the one whom they name, with no more than was given.
pub(crate) async fn attack_claims(desk: &Desk) {
    let (head, claims) = (desk.head.to_string(), desk.claims.to_string());
    let good = desk.hub.sign_in(&desk.good).await.expect("good");
    let mut numbers = Numbers(0x5eed_0002);
    let mut refused = 0;
    for round in 0..ROUNDS {
        let text = mutate(&claims, &claims, &mut numbers);
        match desk.hub.sign_in(&desk.sign(&head, &text)).await {
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
