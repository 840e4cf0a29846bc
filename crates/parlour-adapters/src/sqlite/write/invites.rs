//! Invites of agents.

use parlour_core::{
    Code, Refusal, Timestamp,
    attribution::Attribution,
    id::{InviteId, MemberId},
    invite::Invite,
    limits,
    token::TokenHash,
};
use rusqlite::params;

use super::{done::done, private_members::check_count, scope::Scope};
use crate::sqlite::{error::StoreResult, lookup, rows::invite::load_invite, tx::Tx};

/// How many invites of a project are open.
pub(in crate::sqlite) const OPEN_INVITES: &str = "SELECT COUNT(*)
     FROM invite
     WHERE project_no = ?1 AND expires_ms > ?2 AND uses < uses_max";

/// Keeps an invite, known by the hash of its code.
pub(in crate::sqlite) fn add_invite(
    tx: &Tx<'_>,
    attribution: Attribution,
    invite: Invite,
    code: &TokenHash,
) -> StoreResult<Invite> {
    let project = &invite.project_id;
    let project_no = lookup::project_no(tx.db(), project)?.ok_or_else(|| Refusal::not_found("project", project))?;
    insert_invite(tx, project_no, &invite, code)?;
    check_room(tx, project_no, attribution.at)?;
    tx.audit(done(attribution, "invites.created", Some(project.clone()), &invite.id));
    Ok(invite)
}

/// Takes an invite back.
pub(in crate::sqlite) fn revoke_invite(tx: &Tx<'_>, attribution: Attribution, id: &InviteId) -> StoreResult<Invite> {
    let invite = load_invite(tx.db(), id)?.ok_or_else(|| Refusal::not_found("invite", id))?;
    tx.execute(
        "DELETE FROM invite
         WHERE id = ?1",
        [id.as_str()],
    )?;
    tx.audit(done(attribution, "invites.revoked", Some(invite.project_id.clone()), id));
    Ok(invite)
}

/// Uses an invite of the project once more. One that is not there, or not for this project, lets in as little as one
/// that has ended, and is told in the same way: whoever joins need not learn which.
pub(super) fn use_invite(scope: &Scope<'_>, id: &InviteId) -> StoreResult<()> {
    let found = load_invite(scope.tx.db(), id)?.filter(|invite| invite.project_id == scope.log.project_id);
    let invite = found.ok_or_else(|| Refusal::new(Code::InviteEnded, "this invite was taken back"))?;
    invite.check_open(scope.at)?;
    scope.tx.execute(
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
            maker_no(tx, &invite.created_by)?,
            invite.created_at.as_millis(),
            invite.expires_at.as_millis()
        ],
    )?;
    if inserted == 0 {
        return Err(Refusal::out_of_bounds("another invite has the same id or code already").into());
    }
    Ok(())
}

fn maker_no(tx: &Tx<'_>, id: &MemberId) -> StoreResult<i64> {
    Ok(lookup::member_no(tx.db(), id)?.ok_or_else(|| Refusal::not_found("member", id))?)
}

fn check_room(tx: &Tx<'_>, project_no: i64, at: Timestamp) -> StoreResult<()> {
    let most = limits::INVITES_PER_PROJECT_MAX;
    check_count(tx, OPEN_INVITES, [project_no, at.as_millis()], most, "a project", "open invites")
}
