//! The keys of another issuer, made and used without the code under test.

use aws_lc_rs::{
    rand::SystemRandom,
    rsa::{KeyPair as RsaKeyPair, KeySize},
    signature::{
        ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
        RSA_PKCS1_SHA256, RSA_PSS_SHA256, RsaEncoding,
    },
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

/// All algorithms that are trusted.
pub(crate) const ALGORITHMS: [&str; 5] = ["EdDSA", "ES256", "ES384", "RS256", "PS256"];

/// A key, its name and the algorithm that it signs with.
pub(crate) struct Pen {
    pub(crate) id: String,
    pub(crate) algorithm: &'static str,
    pair: Pair,
}

enum Pair {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair, &'static str),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl Pen {
    /// Makes a key for this algorithm.
    pub(crate) fn new(algorithm: &'static str, id: &str) -> Self {
        let rsa = |encoding| Pair::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).expect("key"), encoding);
        let pair = match algorithm {
            "EdDSA" => Pair::Ed(Ed25519KeyPair::generate().expect("key")),
            "ES256" => Pair::Ec(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("key"), "P-256"),
            "ES384" => Pair::Ec(EcdsaKeyPair::generate(&ECDSA_P384_SHA384_FIXED_SIGNING).expect("key"), "P-384"),
            "RS256" => rsa(&RSA_PKCS1_SHA256),
            "PS256" => rsa(&RSA_PSS_SHA256),
            other => unreachable!("no pen for {other}"),
        };
        Self { id: id.to_owned(), algorithm, pair }
    }

    /// The half that is published, without its `alg`.
    pub(crate) fn jwk(&self) -> Value {
        match &self.pair {
            Pair::Ed(pair) => json!({"kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key()), "kid": self.id}),
            Pair::Ec(pair, curve) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(pair.public_key().as_ref().len() / 2);
                json!({"kty": "EC", "crv": curve, "x": encode(x), "y": encode(y), "kid": self.id})
            }
            Pair::Rsa(pair, _) => {
                let public = pair.public_key();
                let [n, e] = [public.modulus(), public.exponent()]
                    .map(|number| encode(number.big_endian_without_leading_zero()));
                json!({"kty": "RSA", "n": n, "e": e, "kid": self.id})
            }
        }
    }

    /// The bare public key, which an attacker would use as a shared secret.
    pub(crate) fn public_bytes(&self) -> Vec<u8> {
        match &self.pair {
            Pair::Ed(pair) => pair.public_key().as_ref().to_vec(),
            Pair::Ec(pair, _) => pair.public_key().as_ref().to_vec(),
            Pair::Rsa(pair, _) => AsRef::<[u8]>::as_ref(pair.public_key()).to_vec(),
        }
    }

    /// Signs claims under a head that names this key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_under(&json!({"alg": self.algorithm, "kid": self.id}), claims)
    }

    /// Signs claims under any head.
    pub(crate) fn sign_under(&self, head: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(head.to_string()), encode(claims.to_string()));
        format!("{signed}.{}", encode(self.signature(signed.as_bytes())))
    }

    fn signature(&self, signed: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            Pair::Ed(pair) => pair.sign(signed).as_ref().to_vec(),
            Pair::Ec(pair, _) => pair.sign(&random, signed).expect("signature").as_ref().to_vec(),
            Pair::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, signed, &mut signature).expect("signature");
                signature
            }
        }
    }
}

/// The set in which pens are published.
pub(crate) fn set(pens: &[&Pen]) -> String {
    json!({"keys": pens.iter().map(|pen| pen.jwk()).collect::<Vec<_>>()}).to_string()
}
