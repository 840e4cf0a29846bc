//! One Ed25519 key pair.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, crypto};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::file::KeyFileError;

/// Bytes of a public key.
const PUBLIC_BYTES: usize = 32;

/// A public key, which verifies signatures.
#[derive(Clone)]
pub(super) struct PublicKey {
    id: String,
    x: String,
    verifying: DecodingKey,
}

impl PublicKey {
    /// Parses the base64url text of a JWK. The key id is its thumbprint (RFC 7638).
    pub(super) fn from_text(x: &str) -> Result<Self, KeyFileError> {
        let is_whole = URL_SAFE_NO_PAD.decode(x).is_ok_and(|bytes| bytes.len() == PUBLIC_BYTES);
        if !is_whole {
            return Err(KeyFileError::Key);
        }
        let verifying = DecodingKey::from_ed_components(x).map_err(|_| KeyFileError::Key)?;
        Ok(Self { id: thumbprint(x), x: x.to_owned(), verifying })
    }

    /// The key id in the headers of tokens.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The key in base64url.
    pub(super) fn text(&self) -> &str {
        &self.x
    }

    /// Whether the signature of a text is valid.
    pub(super) fn has_signed(&self, signed: &str, signature: &str) -> bool {
        crypto::verify(signature, signed.as_bytes(), &self.verifying, Algorithm::EdDSA).unwrap_or(false)
    }

    /// The key as a JWK (RFC 8037).
    pub(super) fn jwk(&self) -> Value {
        json!({"kty": "OKP", "crv": "Ed25519", "x": self.x, "kid": self.id, "use": "sig", "alg": "EdDSA"})
    }
}

/// A private key with its public key.
#[derive(Clone)]
pub(super) struct SigningKey {
    pkcs8: EncodingKey,
    public: PublicKey,
}

impl SigningKey {
    /// Generates a random key.
    pub(super) fn generate() -> Result<Self, KeyFileError> {
        let pair = Ed25519KeyPair::generate().map_err(|_| KeyFileError::Key)?;
        let pkcs8 = pair.to_pkcs8v1().map_err(|_| KeyFileError::Key)?;
        Self::from_pkcs8(pkcs8.as_ref())
    }

    /// Parses the base64url text of the key file.
    pub(super) fn from_text(text: &str) -> Result<Self, KeyFileError> {
        Self::from_pkcs8(&URL_SAFE_NO_PAD.decode(text).map_err(|_| KeyFileError::Key)?)
    }

    fn from_pkcs8(der: &[u8]) -> Result<Self, KeyFileError> {
        let pair = Ed25519KeyPair::from_pkcs8(der).map_err(|_| KeyFileError::Key)?;
        let public = PublicKey::from_text(&URL_SAFE_NO_PAD.encode(pair.public_key()))?;
        Ok(Self { pkcs8: EncodingKey::from_ed_der(der), public })
    }

    /// The key in base64url, for the file.
    pub(super) fn text(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.pkcs8.as_bytes())
    }

    pub(super) fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The signature of a text, in base64url.
    pub(super) fn sign(&self, signed: &str) -> Result<String, jsonwebtoken::errors::Error> {
        crypto::sign(signed.as_bytes(), &self.pkcs8, Algorithm::EdDSA)
    }
}

/// The thumbprint of a public key: the hash of its required JWK members in order.
fn thumbprint(x: &str) -> String {
    let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
    URL_SAFE_NO_PAD.encode(Sha256::digest(members))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key of RFC 8037, appendix A.
    const KNOWN: &str = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo";

    #[test]
    fn the_id_of_a_key_is_its_rfc_7638_thumbprint() {
        let key = PublicKey::from_text(KNOWN).expect("key");
        assert_eq!(key.id(), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    }

    #[test]
    fn the_signature_of_rfc_8037_is_valid() {
        let signed = "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc";
        let signature = "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";
        let key = PublicKey::from_text(KNOWN).expect("key");
        assert!(key.has_signed(signed, signature));
        assert!(!key.has_signed(&signed.to_lowercase(), signature));
    }

    #[test]
    fn keys_round_trip_as_text() {
        let key = SigningKey::generate().expect("key");
        let again = SigningKey::from_text(&key.text()).expect("own text");
        assert_eq!(again.public().id(), key.public().id());
        assert!(again.public().has_signed("x", &key.sign("x").expect("signature")));
    }

    #[test]
    fn invalid_key_texts_are_refused() {
        for text in ["", "AAAA", "not base64!", &KNOWN[1..], &format!("{KNOWN}=")] {
            assert!(PublicKey::from_text(text).is_err() && SigningKey::from_text(text).is_err(), "{text}");
        }
    }
}
