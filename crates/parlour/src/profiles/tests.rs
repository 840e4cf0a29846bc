use proptest::prelude::*;

use super::*;

fn name(text: &str) -> ProfileName {
    text.parse().expect(text)
}

fn profile(url: &str) -> Profile {
    Profile {
        url: url.to_owned(),
        token: "parlour_secret".to_owned(),
        issued: None,
        member: "Mara".to_owned(),
        project: None,
        ca: None,
    }
}

fn store(folder: &Path) -> ProfileStore {
    ProfileStore { path: folder.join("config/parlour/profiles.toml") }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).expect("there").permissions().mode() & 0o777
}

#[test]
fn a_stored_profile_is_private_and_read_back() {
    let folder = tempfile::tempdir().expect("folder");
    let store = store(folder.path());
    assert!(store.read().expect("nothing yet").all.is_empty());
    store.change(|profiles| profiles.put(name("work"), profile("https://chat.example"), true)).expect("stored");
    let read = store.read().expect("read");
    assert_eq!(read.default, Some(name("work")));
    assert!(read.all[&name("work")] == profile("https://chat.example"));
    assert_eq!((mode(&store.path), mode(store.path.parent().expect("folder"))), (0o600, 0o700));
    let mut files: Vec<_> = fs::read_dir(store.path.parent().expect("folder")).expect("listed").flatten().collect();
    files.sort_by_key(std::fs::DirEntry::file_name);
    assert_eq!(files.len(), 2, "the file and its lock: {files:?}");
}

#[test]
fn a_file_that_others_can_read_is_refused() {
    let folder = tempfile::tempdir().expect("folder");
    let store = store(folder.path());
    store.change(|profiles| profiles.put(name("work"), profile("https://chat.example"), true)).expect("stored");
    fs::set_permissions(&store.path, fs::Permissions::from_mode(0o644)).expect("rights");
    let refused = store.read().err().expect("refused").to_string();
    assert!(refused.contains("chmod 600"), "{refused}");
}

#[test]
fn an_invalid_file_is_refused_without_its_content() {
    let folder = tempfile::tempdir().expect("folder");
    let store = store(folder.path());
    make_private_folder(store.path.parent().expect("folder")).expect("made");
    fs::write(&store.path, "default = \"a\"\ntoken = parlour_secret\n").expect("written");
    fs::set_permissions(&store.path, fs::Permissions::from_mode(0o600)).expect("rights");
    let refused = store.read().err().expect("refused").to_string();
    assert!(refused.contains("line 2") && !refused.contains("parlour_secret"), "{refused}");
}

#[test]
fn concurrent_changes_are_all_stored() {
    let folder = tempfile::tempdir().expect("folder");
    let store = store(folder.path());
    std::thread::scope(|threads| {
        for number in 0..8 {
            let store = store.clone();
            threads.spawn(move || {
                let put =
                    |profiles: &mut Profiles| profiles.put(name(&format!("p{number}")), profile("http://x"), false);
                store.change(put).expect("stored");
            });
        }
    });
    assert_eq!(store.read().expect("read").all.len(), 8);
}

#[test]
fn the_profile_of_a_hub_is_the_default_one_or_the_only_one() {
    let mut profiles = Profiles::default();
    profiles.put(name("a"), profile("http://one"), true).expect("stored");
    profiles.put(name("b"), profile("http://two"), false).expect("stored");
    let of = |profiles: &Profiles, url: &str| {
        profiles.of_hub(url).map(|found| found.map(|(name, _)| name.to_string())).map_err(|failure| failure.to_string())
    };
    assert_eq!(of(&profiles, "http://one"), Ok(Some("a".to_owned())));
    assert_eq!(of(&profiles, "http://two"), Ok(Some("b".to_owned())));
    assert_eq!(of(&profiles, "http://three"), Ok(None));
    profiles.put(name("c"), profile("http://two"), false).expect("stored");
    assert!(of(&profiles, "http://two").is_err_and(|text| text.contains("b, c") && text.contains("--profile")));
    profiles.default = Some(name("c"));
    assert_eq!(of(&profiles, "http://two"), Ok(Some("c".to_owned())));
}

#[test]
fn removing_the_default_profile_leaves_no_default() {
    let mut profiles = Profiles::default();
    profiles.put(name("a"), profile("http://one"), true).expect("stored");
    profiles.put(name("b"), profile("http://two"), false).expect("stored");
    profiles.remove(&name("a"));
    assert!(profiles.default_profile().is_none() && profiles.all.len() == 1);
}

#[test]
fn the_file_is_in_the_configuration_folder_of_the_user() {
    let at = |pairs: &[(&str, &str)]| {
        let variable = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        ProfileStore::find(&variable).map(|store| store.path.display().to_string())
    };
    assert_eq!(at(&[("HOME", "/h")]).as_deref(), Some("/h/.config/parlour/profiles.toml"));
    assert_eq!(at(&[("HOME", "/h"), ("XDG_CONFIG_HOME", "/c")]).as_deref(), Some("/c/parlour/profiles.toml"));
    assert_eq!(at(&[("HOME", "relative")]), None);
}

#[test]
fn names_of_hubs_and_agents_need_no_quotation_marks() {
    assert_eq!(ProfileName::of_hub("https://chat.example").as_str(), "chat.example");
    assert_eq!(ProfileName::of_hub("http://[::1]:4870").as_str(), "::1_:4870");
    assert_eq!(ProfileName::of_agent("Code Reviewer").as_str(), "Code_Reviewer");
}

proptest! {
    #[test]
    fn a_derived_name_is_always_a_valid_name(text in ".{0,100}") {
        prop_assert!(ProfileName::of_hub(&text).as_str().parse::<ProfileName>().is_ok());
        prop_assert!(ProfileName::of_agent(&text).as_str().parse::<ProfileName>().is_ok());
    }
}
