//! The keys with which the hub signs tokens, and the issuer that it trusts.

use std::path::Path;

use parlour_adapters::{FileKeys, KeysInspection, TrustedIssuers};
use parlour_core::{Timestamp, limits};
use parlour_hub::Failure;

use super::check::Check;
use crate::settings::IssuerSettings;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// After so many days a key should make place for a new one.
const KEY_DAYS_MAX: i64 = 365;

/// Whether there are keys, whether they can be read, and how old the one is that signs.
pub(super) fn check_keys(folder: &Path, now: Timestamp) -> Check {
    match FileKeys::inspect(folder) {
        Ok(None) => Check::note("keys", "none yet; the first start makes one"),
        Ok(Some(found)) => judge(found, now),
        Err(failure) => Check::bad("keys", format!("{}; restore a backup of the folder keys", told(&failure))),
    }
}

fn judge(found: KeysInspection, now: Timestamp) -> Check {
    let days = (now.as_millis() - found.signing_since.as_millis()) / DAY_MS;
    let about = format!("the one that signs is {days} days old, {} older are kept", found.replaced);
    if days > KEY_DAYS_MAX {
        return Check::warning("keys", format!("{about}; make a new one: parlour key rotate"));
    }
    if found.replaced >= limits::KEYS_KEPT_MAX {
        return Check::warning(
            "keys",
            format!("{about}: there is no room for more until tokens of the oldest have ended"),
        );
    }
    Check::good("keys", about)
}

/// Whether the trusted issuer can be trusted. Nobody is asked over the net.
pub(super) fn check_issuer(issuer: Option<&IssuerSettings>) -> Option<Check> {
    let issuer = issuer?;
    let trusted = TrustedIssuers::new(&issuer.name, &issuer.audience, issuer.keys.clone());
    Some(match trusted {
        Err(failure) => Check::bad("issuer", told(&failure)),
        Ok(_) if issuer.keys.is_unprotected() => Check::warning(
            "issuer",
            format!("the keys of {} come over plain HTTP: whoever is on the way can let anybody in", issuer.name),
        ),
        Ok(_) => Check::good("issuer", format!("tokens of {} for {} are trusted", issuer.name, issuer.audience)),
    })
}

fn told(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_string(),
        Failure::Fault(fault) => fault.chain(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use parlour_adapters::KeySource;

    use super::*;
    use crate::commands::doctor::check::Verdict;

    fn found(replaced: usize) -> KeysInspection {
        KeysInspection { signing_since: Timestamp::from_millis(0), replaced }
    }

    fn after_days(days: i64) -> Timestamp {
        Timestamp::from_millis(days * DAY_MS)
    }

    #[test]
    fn an_old_key_and_too_many_old_keys_are_warnings() {
        assert_eq!(judge(found(1), after_days(3)).detail, "the one that signs is 3 days old, 1 older are kept");
        let verdict = |replaced, days| judge(found(replaced), after_days(days)).verdict;
        assert_eq!((verdict(0, KEY_DAYS_MAX), verdict(0, KEY_DAYS_MAX + 1)), (Verdict::Good, Verdict::Warning));
        assert_eq!(verdict(limits::KEYS_KEPT_MAX, 1), Verdict::Warning);
    }

    #[test]
    fn no_keys_are_no_fault_and_damaged_ones_are_bad() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(check_keys(folder.path(), after_days(1)).verdict, Verdict::Note);
        assert!(!folder.path().join("keys").exists(), "a doctor makes nothing");
        fs::create_dir(folder.path().join("keys")).expect("folder");
        fs::write(folder.path().join("keys/keys.json"), "{}").expect("file");
        let check = check_keys(folder.path(), after_days(1));
        assert!(check.verdict == Verdict::Bad && check.detail.contains("keys.json"), "{}", check.detail);
    }

    #[test]
    fn an_issuer_is_looked_at_only_when_one_is_named() {
        assert_eq!(check_issuer(None), None);
        let verdict = |keys: &str| {
            let keys = KeySource::parse(keys).expect("source");
            let issuer = IssuerSettings { name: "https://id.example".into(), audience: "parlour".into(), keys };
            check_issuer(Some(&issuer)).expect("a check").verdict
        };
        assert_eq!(verdict("https://id.example/keys"), Verdict::Good);
        assert_eq!(verdict("http://id.example/keys"), Verdict::Warning);
        assert_eq!(verdict("no-such-file.json"), Verdict::Bad);
    }
}
