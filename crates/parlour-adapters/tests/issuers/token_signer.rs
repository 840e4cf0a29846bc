//! Keys of a foreign issuer, independent of the code under test.

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

/// All accepted algorithms.
pub(crate) const ALGORITHMS: [&str; 5] = ["EdDSA", "ES256", "ES384", "RS256", "PS256"];

/// A key with its id and algorithm.
pub(crate) struct TokenSigner {
    pub(crate) id: String,
    pub(crate) algorithm: &'static str,
    pair: SigningPair,
}

enum SigningPair {
    Ed(Ed25519KeyPair),
    Ec(EcdsaKeyPair, &'static str),
    Rsa(RsaKeyPair, &'static dyn RsaEncoding),
}

pub(crate) fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

impl TokenSigner {
    /// Generates a key for this algorithm.
    pub(crate) fn new(algorithm: &'static str, id: &str) -> Self {
        let rsa = |encoding| SigningPair::Rsa(RsaKeyPair::generate(KeySize::Rsa2048).expect("key"), encoding);
        let pair = match algorithm {
            "EdDSA" => SigningPair::Ed(Ed25519KeyPair::generate().expect("key")),
            "ES256" => SigningPair::Ec(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).expect("key"), "P-256"),
            "ES384" => SigningPair::Ec(EcdsaKeyPair::generate(&ECDSA_P384_SHA384_FIXED_SIGNING).expect("key"), "P-384"),
            "RS256" => rsa(&RSA_PKCS1_SHA256),
            "PS256" => rsa(&RSA_PSS_SHA256),
            other => unreachable!("no key for {other}"),
        };
        Self { id: id.to_owned(), algorithm, pair }
    }

    /// The public JWK, without its `alg`.
    pub(crate) fn jwk(&self) -> Value {
        match &self.pair {
            SigningPair::Ed(pair) => {
                json!({"kty": "OKP", "crv": "Ed25519", "x": encode(pair.public_key()), "kid": self.id})
            }
            SigningPair::Ec(pair, curve) => {
                let (x, y) = pair.public_key().as_ref()[1..].split_at(pair.public_key().as_ref().len() / 2);
                json!({"kty": "EC", "crv": curve, "x": encode(x), "y": encode(y), "kid": self.id})
            }
            SigningPair::Rsa(pair, _) => {
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
            SigningPair::Ed(pair) => pair.public_key().as_ref().to_vec(),
            SigningPair::Ec(pair, _) => pair.public_key().as_ref().to_vec(),
            SigningPair::Rsa(pair, _) => AsRef::<[u8]>::as_ref(pair.public_key()).to_vec(),
        }
    }

    /// Signs claims with a header that names this key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.sign_with_header(&json!({"alg": self.algorithm, "kid": self.id}), claims)
    }

    /// Signs claims with any header.
    pub(crate) fn sign_with_header(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
        format!("{signed}.{}", encode(self.signature(signed.as_bytes())))
    }

    fn signature(&self, signed: &[u8]) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.pair {
            SigningPair::Ed(pair) => pair.sign(signed).as_ref().to_vec(),
            SigningPair::Ec(pair, _) => pair.sign(&random, signed).expect("signature").as_ref().to_vec(),
            SigningPair::Rsa(pair, encoding) => {
                let mut signature = vec![0; pair.public_modulus_len()];
                pair.sign(*encoding, &random, signed, &mut signature).expect("signature");
                signature
            }
        }
    }
}

/// The JWK set of these signers.
pub(crate) fn set(signers: &[&TokenSigner]) -> String {
    json!({"keys": signers.iter().map(|signer| signer.jwk()).collect::<Vec<_>>()}).to_string()
}
