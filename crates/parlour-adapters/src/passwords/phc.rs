//! Password hashes in the PHC string format, which contains the parameters:
//! `$argon2id$v=19$m=19456,t=2,p=1$salt$output`.

use std::{fmt, str::FromStr};

use argon2::{Algorithm, Argon2, Params, Version};
use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

/// Bytes of a new salt.
pub(super) const SALT_BYTES: usize = 16;
/// Bytes of the hash.
const OUTPUT_BYTES: usize = 32;
/// The accepted salt lengths, for hashes of other programs.
const SALT_BYTES_RANGE: std::ops::RangeInclusive<usize> = 8..=64;
/// The maximum accepted cost of a hash.
const MEMORY_KIB_MAX: u32 = 64 * 1024;
const PASSES_MAX: u32 = 8;
const LANES_MAX: u32 = 4;
/// The prefix of the only accepted algorithm and version.
const HEAD: &str = "$argon2id$v=19$";

/// Why a hash cannot be used. The text never contains the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadHash {
    #[error("it is not in the form $argon2id$v=19$m=…,t=…,p=…$salt$output")]
    Form,
    #[error("it asks for more or less work than a password is worth")]
    Argon2Cost,
}

/// The cost parameters of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Argon2Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Argon2Cost {
    /// The cost of new hashes: the smaller of the two that OWASP recommends.
    pub(super) const NOW: Self = Self { memory_kib: 19 * 1024, passes: 2, lanes: 1 };

    fn params(self) -> Result<Params, BadHash> {
        let is_bounded = self.memory_kib <= MEMORY_KIB_MAX && self.passes <= PASSES_MAX && self.lanes <= LANES_MAX;
        if !is_bounded {
            return Err(BadHash::Argon2Cost);
        }
        Params::new(self.memory_kib, self.passes, self.lanes, Some(OUTPUT_BYTES)).map_err(|_| BadHash::Argon2Cost)
    }
}

/// A password hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hashed {
    pub(super) cost: Argon2Cost,
    pub(super) salt: Vec<u8>,
    pub(super) output: [u8; OUTPUT_BYTES],
}

impl Hashed {
    /// Hashes a password, slowly.
    pub(super) fn derive(password: &str, salt: &[u8], cost: Argon2Cost) -> Result<Self, BadHash> {
        let mut output = [0; OUTPUT_BYTES];
        Argon2::new(Algorithm::Argon2id, Version::V0x13, cost.params()?)
            .hash_password_into(password.as_bytes(), salt, &mut output)
            .map_err(|_| BadHash::Argon2Cost)?;
        Ok(Self { cost, salt: salt.to_vec(), output })
    }

    /// A hash for an account that does not exist, with the cost of a new one.
    pub(super) fn decoy() -> Self {
        Self { cost: Argon2Cost::NOW, salt: vec![0; SALT_BYTES], output: [0; OUTPUT_BYTES] }
    }
}

impl fmt::Display for Hashed {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Argon2Cost { memory_kib, passes, lanes } = self.cost;
        let (salt, output) = (STANDARD_NO_PAD.encode(&self.salt), STANDARD_NO_PAD.encode(self.output));
        write!(out, "{HEAD}m={memory_kib},t={passes},p={lanes}${salt}${output}")
    }
}

impl FromStr for Hashed {
    type Err = BadHash;

    fn from_str(text: &str) -> Result<Self, BadHash> {
        let rest = text.strip_prefix(HEAD).ok_or(BadHash::Form)?;
        let [cost, salt, output] = *rest.split('$').collect::<Vec<_>>() else { return Err(BadHash::Form) };
        let salt = STANDARD_NO_PAD.decode(salt).map_err(|_| BadHash::Form)?;
        if !SALT_BYTES_RANGE.contains(&salt.len()) {
            return Err(BadHash::Form);
        }
        let output = STANDARD_NO_PAD.decode(output).map_err(|_| BadHash::Form)?;
        Ok(Self { cost: parse_cost(cost)?, salt, output: output.try_into().map_err(|_| BadHash::Form)? })
    }
}

fn parse_cost(text: &str) -> Result<Argon2Cost, BadHash> {
    let [memory, passes, lanes] = *text.split(',').collect::<Vec<_>>() else { return Err(BadHash::Form) };
    let cost = Argon2Cost {
        memory_kib: parse_number(memory, "m=")?,
        passes: parse_number(passes, "t=")?,
        lanes: parse_number(lanes, "p=")?,
    };
    cost.params().map(|_| cost)
}

/// A number after a name. Only digits are accepted, because `parse` also accepts a sign.
fn parse_number(text: &str, name: &str) -> Result<u32, BadHash> {
    let digits = text.strip_prefix(name).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()));
    digits.and_then(|digits| digits.parse().ok()).ok_or(BadHash::Form)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// "password" with the salt "somesalt", as the reference program of Argon2 writes it.
    const KNOWN: &str = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4";

    #[test]
    fn a_hash_of_the_reference_program_is_reproduced() {
        let hashed = Hashed::derive("password", b"somesalt", KNOWN.parse::<Hashed>().expect("known").cost);
        assert_eq!(hashed.expect("hash").to_string(), KNOWN);
    }

    #[test]
    fn hashes_round_trip() {
        let hashed = Hashed { cost: Argon2Cost::NOW, salt: vec![7; SALT_BYTES], output: [9; OUTPUT_BYTES] };
        assert_eq!(hashed.to_string().parse(), Ok(hashed));
    }

    #[test]
    fn the_decoy_has_the_cost_of_a_new_hash() {
        let fresh = Hashed::derive("x", &[1; SALT_BYTES], Argon2Cost::NOW).expect("hash");
        assert_eq!(Hashed::decoy().cost, fresh.cost);
        assert_eq!(Hashed::decoy().salt.len(), fresh.salt.len());
    }

    #[test]
    fn excessive_costs_and_other_formats_are_refused() {
        let with = |from: &str, to: &str| KNOWN.replace(from, to).parse::<Hashed>().expect_err(to);
        for (from, to) in
            [("m=256", "m=4194304"), ("t=2", "t=4000000000"), ("p=1", "p=255"), ("t=2", "t=0"), ("m=256", "m=1")]
        {
            assert_eq!(with(from, to), BadHash::Argon2Cost);
        }
        for (from, to) in [
            ("argon2id", "argon2i"),
            ("argon2id", "argon2d"),
            ("v=19", "v=16"),
            ("m=256", "m=99999999999"),
            ("m=256", "m=+256"),
            ("m=256,", ""),
            ("$c29tZXNhbHQ", "$"),
            ("i/4", "i/4="),
            ("i/4", ""),
            ("$nf65", "$$nf65"),
        ] {
            assert_eq!(with(from, to), BadHash::Form, "{to}");
        }
        assert!("".parse::<Hashed>().is_err() && "password".parse::<Hashed>().is_err());
    }
}
