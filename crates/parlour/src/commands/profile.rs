//! `parlour profile`: lists profiles and selects the default one.

use clap::{Args, Subcommand};
use serde::Serialize;

use crate::{
    failure::Failure,
    output::{Output, style::Style, table::Table},
    profiles::{ProfileName, ProfileStore, Profiles},
    session::{Connection, stored_profiles},
};

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    List(ProfileList),
    Use(ProfileUse),
}

impl ProfileCommand {
    pub(crate) fn run(self) -> Result<Output, Failure> {
        match self {
            Self::List(command) => command.run(),
            Self::Use(command) => command.run(),
        }
    }
}

/// List the profiles; `*` marks the default one
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour profile list")]
pub(crate) struct ProfileList {
    #[command(flatten)]
    connection: Connection,
}

/// A profile without its token.
#[derive(Serialize)]
struct ListedProfile<'a> {
    name: &'a ProfileName,
    is_default: bool,
    url: &'a str,
    member: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<&'a str>,
}

impl ProfileList {
    fn run(self) -> Result<Output, Failure> {
        let profiles = stored_profiles()?;
        let items = listed(&profiles);
        if self.connection.is_json() {
            return Output::json(&serde_json::json!({"items": items}));
        }
        if items.is_empty() {
            return Ok(Output::text("No profiles.\nNext: parlour login\n"));
        }
        let mut table = Table::new(&["", "name", "hub", "member", "project"]);
        for item in items {
            let mark = if item.is_default { "*" } else { "" };
            table.row(&[mark, item.name.as_str(), item.url, item.member, item.project.unwrap_or_default()]);
        }
        Ok(Output::text(table.render(Style::for_stdout())))
    }
}

fn listed(profiles: &Profiles) -> Vec<ListedProfile<'_>> {
    let all = profiles.all.iter();
    all.map(|(name, profile)| ListedProfile {
        name,
        is_default: profiles.default.as_ref() == Some(name),
        url: &profile.url,
        member: &profile.member,
        project: profile.project.as_deref(),
    })
    .collect()
}

/// Make a profile the default one
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  parlour profile use work")]
pub(crate) struct ProfileUse {
    /// Name of the profile (`parlour profile list`)
    name: ProfileName,
    #[command(flatten)]
    connection: Connection,
}

impl ProfileUse {
    fn run(self) -> Result<Output, Failure> {
        let profile = ProfileStore::required()?.change(|profiles| {
            let profile = profiles.get(&self.name)?.clone();
            profiles.default = Some(self.name.clone());
            Ok(profile)
        })?;
        if self.connection.is_json() {
            return Output::json(&serde_json::json!({"name": self.name, "url": profile.url}));
        }
        Ok(Output::text(format!("Commands now use profile {}: {} at {}.\n", self.name, profile.member, profile.url)))
    }
}
