//! The file that says who a hook is: the address of the hub, and the token of an agent, readable by its user only.

use std::{ffi::OsStr, fs, io, path::Path};

use clap::{Args as _, Command, FromArgMatches as _};

use crate::{
    failure::Failure,
    settings::{ClientSettings, Flags, ForClients, Sources},
};

/// The text of a profile.
pub(super) fn text(settings: &ClientSettings, project: &str) -> String {
    let path = |path: &Path| path.display().to_string();
    let identity = settings.tls.identity.as_ref();
    let lines = [
        ("url", Some(settings.url.clone())),
        ("token", settings.token.clone()),
        ("project", Some(project.to_owned())),
        ("ca", settings.tls.ca.as_deref().map(absolute).as_deref().map(path)),
        ("client_cert", identity.map(|files| path(&absolute(&files.certificate)))),
        ("client_key", identity.map(|files| path(&absolute(&files.key)))),
    ];
    let lines = lines.into_iter().filter_map(|(key, value)| Some((key, value?)));
    // A text in JSON is one in TOML too.
    lines.map(|(key, value)| format!("{key} = {}\n", serde_json::Value::from(value))).collect()
}

/// The text as it may be shown.
pub(super) fn without_token(text: &str) -> String {
    let shown = |line: &str| {
        if line.starts_with("token = ") { "token = (not shown)\n".to_owned() } else { line.to_owned() + "\n" }
    };
    text.lines().map(shown).collect()
}

/// The settings of a profile and of nothing else: what its user has set for other commands must not make the hook
/// somebody else.
pub(super) fn read(path: &OsStr) -> Result<ClientSettings, Failure> {
    let command = Flags::<ForClients>::augment_args(Command::new("parlour").no_binary_name(true));
    let matches = command.try_get_matches_from([OsStr::new("--config"), path]);
    let flags = matches.and_then(|matches| Flags::from_arg_matches(&matches));
    let flags = flags.map_err(|error| Failure::usage(error.to_string()))?;
    let nothing = |_: &str| None;
    Ok(ClientSettings::read(&Sources::<ForClients>::open(&flags, &nothing)?)?)
}

/// Removes a profile, if there is one.
pub(super) fn remove(path: &Path) -> Result<(), Failure> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::broken(format!("remove {}", path.display()), &error))
        }
        _ => Ok(()),
    }
}

fn absolute(path: &Path) -> std::path::PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use parlour_agent::TlsOptions;

    use super::*;

    #[test]
    fn a_profile_is_read_as_it_was_written_and_shown_without_its_token() {
        let settings = ClientSettings {
            url: "http://127.0.0.1:1".into(),
            token: Some("secret\"x".into()),
            project: None,
            tls: TlsOptions { ca: Some("/ca.pem".into()), identity: None },
        };
        let text = text(&settings, "prj_1");
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("p.toml");
        fs::write(&path, &text).expect("written");
        let Ok(got) = read(path.as_os_str()) else { unreachable!("what was written is read") };
        assert_eq!((got.url, got.token, got.project), (settings.url, settings.token, Some("prj_1".into())));
        assert!(!without_token(&text).contains("secret") && without_token(&text).contains("/ca.pem"));
        assert!(read(folder.path().join("none").as_os_str()).is_err());
    }
}
