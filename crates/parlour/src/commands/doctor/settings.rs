//! Checks of the settings: environment, TLS files, signing keys, issuer, providers and rerankers.

use std::path::Path;

use parlour_adapters::{FileKeys, KeysInspection, TrustedIssuers};
use parlour_agent::{
    TlsOptions,
    engines::{COMMAND_VARIABLES, models::ModelClient},
};
use parlour_core::{Timestamp, limits};
use parlour_hub::Failure;
use parlour_server::{Tls, TlsFiles};

use super::CheckResult;
use crate::{
    data_folder::{Privacy, privacy},
    hosting::{Provider, Rerankers},
    settings::{Both, IssuerSettings, ProviderSettings, RerankerSettings, SettingSources, TABLE},
};

/// Checks for unknown `PARLOUR_` variables.
pub(super) fn check_variables(names: &[String]) -> CheckResult {
    // The runner sets these variables for commands of agents.
    let given = COMMAND_VARIABLES.iter().map(|name| (*name).to_owned());
    let known: Vec<_> = TABLE.iter().map(|setting| setting.variable()).chain(given).collect();
    let (ours, others): (Vec<_>, Vec<_>) =
        names.iter().filter(|name| name.starts_with("PARLOUR_")).partition(|name| known.contains(name));
    if !others.is_empty() {
        let list = others.into_iter().cloned().collect::<Vec<_>>().join(", ");
        return CheckResult::warning(
            "environment",
            format!("{list}: set, but not a known setting; see docs/settings.md"),
        );
    }
    match ours.len() {
        0 => CheckResult::good("environment", "no PARLOUR_ variable is set"),
        _ => CheckResult::good("environment", ours.into_iter().cloned().collect::<Vec<_>>().join(", ")),
    }
}

/// Checks which settings file was read, and that a token in it is not readable by others.
pub(super) fn check_file(sources: &SettingSources<'_, Both>) -> CheckResult {
    let Some(file) = sources.file_name() else {
        return CheckResult::good("settings", "no parlour.toml; flags, environment and defaults apply");
    };
    let is_open = privacy(Path::new(file)).is_ok_and(|privacy| privacy == Privacy::OpenToOthers);
    if is_open && sources.has_secret_in_file() {
        return CheckResult::warning(
            "settings",
            format!("{file} contains a token and other users can read it; run: chmod 600 '{file}'"),
        );
    }
    CheckResult::good("settings", format!("{file} was read"))
}

/// Checks that the TLS files are valid and the key is private.
pub(super) fn check_tls(files: &TlsFiles) -> CheckResult {
    if let Err(error) = Tls::load(files.clone()) {
        return CheckResult::bad("tls", error.to_string());
    }
    let key = files.key.display();
    if privacy(&files.key).is_ok_and(|privacy| privacy == Privacy::OpenToOthers) {
        return CheckResult::warning("tls", format!("other users can read the private key; run: chmod 600 '{key}'"));
    }
    let clients = files.client_authorities.as_ref().map(|file| format!("; client CA {}", file.display()));
    CheckResult::good("tls", format!("{} and its key{}", files.certificate.display(), clients.unwrap_or_default()))
}

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
/// Age of a signing key for a warning.
const KEY_DAYS_MAX: i64 = 365;

/// Checks that the signing keys are readable, and the age of the current one.
pub(super) fn check_keys(folder: &Path, now: Timestamp) -> CheckResult {
    match FileKeys::inspect(folder) {
        Ok(None) => CheckResult::note("keys", "none yet; the first start creates one"),
        Ok(Some(found)) => judge_keys(found, now),
        Err(failure) => {
            CheckResult::bad("keys", format!("{}; restore the folder keys from a backup", failure_text(&failure)))
        }
    }
}

fn judge_keys(found: KeysInspection, now: Timestamp) -> CheckResult {
    let days = (now.as_millis() - found.signing_since.as_millis()) / DAY_MS;
    let about = format!("signing key is {days} days old, {} older keys are kept", found.replaced);
    if days > KEY_DAYS_MAX {
        return CheckResult::warning("keys", format!("{about}; run: parlour key rotate"));
    }
    if found.replaced >= limits::REPLACED_KEYS_MAX {
        return CheckResult::warning(
            "keys",
            format!("{about}: the maximum; rotation is possible again when the tokens of the oldest key have expired"),
        );
    }
    CheckResult::good("keys", about)
}

/// Checks the settings of the trusted issuer, without network requests.
pub(super) fn check_issuer(issuer: Option<&IssuerSettings>) -> Option<CheckResult> {
    let issuer = issuer?;
    let trusted = TrustedIssuers::new(&issuer.name, &issuer.audience, issuer.keys.clone());
    Some(match trusted {
        Err(failure) => CheckResult::bad("issuer", failure_text(&failure)),
        Ok(_) if issuer.keys.is_unprotected() => CheckResult::warning(
            "issuer",
            format!(
                "the keys of {} are loaded over plain HTTP: an attacker on the network can forge tokens",
                issuer.name
            ),
        ),
        Ok(_) => CheckResult::good(
            "issuer",
            format!("tokens of {} with audience {} are trusted", issuer.name, issuer.audience),
        ),
    })
}

fn failure_text(failure: &Failure) -> String {
    match failure {
        Failure::Refused(refusal) => refusal.to_string(),
        Failure::Fault(fault) => fault.chain(),
    }
}

/// Checks that every configured provider has its API key, without network requests.
pub(super) fn check_providers(settings: &[ProviderSettings]) -> CheckResult {
    if settings.is_empty() {
        return CheckResult::note(
            "providers",
            "none configured; hosted agents can use the built-in engine (docs/agents.md)",
        );
    }
    let client = match ModelClient::new(&TlsOptions::default()) {
        Ok(client) => client,
        Err(error) => return CheckResult::bad("providers", error.to_string()),
    };
    let opened: Result<Vec<_>, _> = settings.iter().map(|one| Provider::open(one, &client)).collect();
    match opened {
        Err(reason) => CheckResult::bad("providers", reason),
        Ok(providers) => match providers.iter().find_map(|provider| provider.weakness.as_ref()) {
            Some(weakness) => CheckResult::warning("providers", weakness),
            None => {
                CheckResult::good("providers", providers.iter().map(Provider::about).collect::<Vec<_>>().join(", "))
            }
        },
    }
}

/// Checks that every configured reranker has its API key; none without rerankers.
pub(super) fn check_rerankers(settings: &[RerankerSettings]) -> Option<CheckResult> {
    if settings.is_empty() {
        return None;
    }
    Some(match Rerankers::try_open(settings) {
        Err(reason) => CheckResult::bad("rerankers", reason),
        Ok(rerankers) => match rerankers.weakness() {
            Some(weakness) => CheckResult::warning("rerankers", weakness),
            None => CheckResult::good("rerankers", rerankers.about()),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, path::Path};

    use parlour_adapters::KeySource;
    use parlour_agent::engines::models::{Interface, Secret};
    use rcgen::{CertificateParams, KeyPair};

    use super::*;
    use crate::{commands::doctor::Verdict, settings::KeyPlace};

    fn variables(names: &[&str]) -> CheckResult {
        check_variables(&names.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_mistyped_variable_is_named() {
        let check = variables(&["PATH", "PARLOUR_LISTN", "PARLOUR_DATA"]);
        assert_eq!(check.verdict, Verdict::Warning);
        assert!(check.detail.starts_with("PARLOUR_LISTN: set, but"), "{}", check.detail);
    }

    #[test]
    fn known_variables_are_listed_without_their_values() {
        assert_eq!(variables(&["PARLOUR_TOKEN", "PARLOUR_URL"]).detail, "PARLOUR_TOKEN, PARLOUR_URL");
        assert_eq!(variables(&["PATH"]).verdict, Verdict::Good);
        assert_eq!(variables(&["PARLOUR_AGENT"]).verdict, Verdict::Good, "a command of an agent may ask too");
    }

    #[test]
    fn a_tls_key_must_be_readable_by_its_owner_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = TlsFiles {
            certificate: folder.path().join("hub.pem"),
            key: folder.path().join("hub.key"),
            client_authorities: None,
        };
        assert_eq!(check_tls(&files).verdict, Verdict::Bad, "there are no files yet");
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(["localhost".to_owned()]).expect("a name");
        fs::write(&files.certificate, params.self_signed(&key).expect("signed").pem()).expect("written");
        fs::write(&files.key, key.serialize_pem()).expect("written");
        for (mode, verdict) in [(0o644, Verdict::Warning), (0o600, Verdict::Good)] {
            fs::set_permissions(&files.key, fs::Permissions::from_mode(mode)).expect("set");
            assert_eq!(check_tls(&files).verdict, verdict, "{mode:o}");
        }
    }

    fn found(replaced: usize) -> KeysInspection {
        KeysInspection { signing_since: Timestamp::from_millis(0), replaced }
    }

    fn after_days(days: i64) -> Timestamp {
        Timestamp::from_millis(days * DAY_MS)
    }

    #[test]
    fn an_old_key_and_too_many_old_keys_are_warnings() {
        assert_eq!(judge_keys(found(1), after_days(3)).detail, "signing key is 3 days old, 1 older keys are kept");
        let verdict = |replaced, days| judge_keys(found(replaced), after_days(days)).verdict;
        assert_eq!((verdict(0, KEY_DAYS_MAX), verdict(0, KEY_DAYS_MAX + 1)), (Verdict::Good, Verdict::Warning));
        assert_eq!(verdict(limits::REPLACED_KEYS_MAX, 1), Verdict::Warning);
    }

    #[test]
    fn missing_keys_are_ok_and_damaged_ones_are_an_error() {
        let folder = tempfile::tempdir().expect("folder");
        assert_eq!(check_keys(folder.path(), after_days(1)).verdict, Verdict::Note);
        assert!(!folder.path().join("keys").exists(), "a doctor makes nothing");
        fs::create_dir(folder.path().join("keys")).expect("folder");
        fs::write(folder.path().join("keys/keys.json"), "{}").expect("file");
        let check = check_keys(folder.path(), after_days(1));
        assert!(check.verdict == Verdict::Bad && check.detail.contains("keys.json"), "{}", check.detail);
    }

    #[test]
    fn an_issuer_is_checked_only_if_one_is_configured() {
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

    fn check(key: KeyPlace) -> CheckResult {
        let (name, interface) = ("work".to_owned(), Interface::Gemini);
        check_providers(&[ProviderSettings { name, interface, base_url: None, model: Some("small".into()), key }])
    }

    #[test]
    fn a_reranker_is_shown_without_its_key_and_needs_one() {
        let check = |key| {
            let (url, model) = ("https://rank.example/v1/rerank".to_owned(), Some("small".to_owned()));
            check_rerankers(&[RerankerSettings { name: "fast".into(), url, model, key }]).expect("a check")
        };
        let good = check(KeyPlace::Variable("K".into(), Some(Secret::new("sk-secret"))));
        assert_eq!(
            (good.verdict, good.detail.as_str()),
            (Verdict::Good, "fast (https://rank.example/v1/rerank, model small)")
        );
        let bad = check(KeyPlace::Variable("K".into(), None));
        assert_eq!(
            (bad.verdict, bad.detail.as_str()),
            (Verdict::Bad, "the reranker fast: the environment variable K for its API key is not set")
        );
        assert!(check_rerankers(&[]).is_none());
    }

    #[test]
    fn a_missing_provider_is_ok() {
        assert_eq!(check_providers(&[]).verdict, Verdict::Note);
    }

    #[test]
    fn a_provider_is_shown_without_its_key() {
        let check = check(KeyPlace::Variable("K".into(), Some(Secret::new("sk-secret"))));
        assert_eq!(check.verdict, Verdict::Good);
        assert_eq!(check.detail, "work (gemini at https://generativelanguage.googleapis.com, model small)");
    }

    #[test]
    fn a_missing_key_is_an_error_and_an_open_one_is_a_warning() {
        assert_eq!(check(KeyPlace::Variable("K".into(), None)).verdict, Verdict::Bad);
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "sk-secret").expect("written");
        let verdict = |path: &Path, mode| {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("set");
            check(KeyPlace::File(path.into())).verdict
        };
        assert_eq!(verdict(file.path(), 0o600), Verdict::Good);
        assert_eq!(verdict(file.path(), 0o640), Verdict::Warning);
    }
}
