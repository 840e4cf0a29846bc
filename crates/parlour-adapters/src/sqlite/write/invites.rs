//! Writes of invites.

use parlour_core::{
    Code, Refusal, Timestamp,
    attribution::Attribution,
    id::{InviteId, MemberId},
    invite::Invite,
    limits,
    token::TokenHash,
};
use rusqlite::params;

use crate::sqlite::{
    error::StoreResult,
    lookup,
    rows::invite::load_invite,
    tx::Tx,
    write::{
        find,
        log::{LogWriter, done},
    },
};

pub(in crate::sqlite) const OPEN_INVITES: &str = "SELECT COUNT(*)
     FROM invite
     WHERE project_no = ?1 AND expires_ms > ?2 AND uses < uses_max";

/// Adds an invite with the hash of its code.
pub(in crate::sqlite) fn add_invite(
    tx: &Tx<'_>,
    attribution: Attribution,
    invite: Invite,
    code: &TokenHash,
) -> StoreResult<Invite> {
    let project = &invite.project_id;
    let project_no = lookup::project_no(tx.db(), project)?.ok_or_else(|| Refusal::not_found("project", project))?;
    insert_invite(tx, project_no, &invite, code)?;
    check_invite_count(tx, project_no, attribution.at)?;
    tx.audit(done(attribution, "invites.created", Some(project.clone()), &invite.id))?;
    Ok(invite)
}

pub(in crate::sqlite) fn revoke_invite(tx: &Tx<'_>, attribution: Attribution, id: &InviteId) -> StoreResult<Invite> {
    let invite = load_invite(tx.db(), id)?.ok_or_else(|| Refusal::not_found("invite", id))?;
    tx.execute(
        "DELETE FROM invite
         WHERE id = ?1",
        [id.as_str()],
    )?;
    tx.audit(done(attribution, "invites.revoked", Some(invite.project_id.clone()), id))?;
    Ok(invite)
}

/// Uses an invite of the project once. An unknown invite, or one of another project, is refused like one that has
/// ended, so that the caller does not learn the difference.
pub(super) fn use_invite(log: &LogWriter<'_>, id: &InviteId) -> StoreResult<()> {
    let found = load_invite(log.tx.db(), id)?.filter(|invite| invite.project_id == log.name.project_id);
    let invite = found.ok_or_else(|| Refusal::new(Code::InviteEnded, "this invite was revoked"))?;
    invite.check_open(log.at)?;
    log.tx.execute(
        "UPDATE invite
         SET uses = uses + 1
         WHERE id = ?1",
        [id.as_str()],
    )?;
    Ok(())
}

fn insert_invite(tx: &Tx<'_>, project_no: i64, invite: &Invite, code: &TokenHash) -> StoreResult<()> {
    let inserted = tx.execute(
        "INSERT INTO invite (id, project_no, code, role, label, uses_max, uses, created_by_no, created_ms, expires_ms)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         ON CONFLICT DO NOTHING",
        params![
            invite.id.as_str(),
            project_no,
            code,
            invite.role.as_str(),
            invite.label,
            invite.uses_max,
            invite.uses,
            member_no(tx, &invite.created_by)?,
            invite.created_at.as_millis(),
            invite.expires_at.as_millis()
        ],
    )?;
    if inserted == 0 {
        return Err(Refusal::out_of_bounds("another invite has the same id or code already").into());
    }
    Ok(())
}

fn member_no(tx: &Tx<'_>, id: &MemberId) -> StoreResult<i64> {
    Ok(lookup::member_no(tx.db(), id)?.ok_or_else(|| Refusal::not_found("member", id))?)
}

fn check_invite_count(tx: &Tx<'_>, project_no: i64, at: Timestamp) -> StoreResult<()> {
    let most = limits::INVITES_PER_PROJECT_MAX;
    find::check_count(tx, OPEN_INVITES, [project_no, at.as_millis()], most, "a project", "open invites")
}
