//! Requests that write, and what is answered to them.
//!
//! ```text
//! create, create2  ustring path | buffer data | vector<ACL> acl | int flags    (1: ephemeral, 2: sequential)
//! delete           ustring path | int version
//! setData          ustring path | buffer data | int version
//! setACL           ustring path | vector<ACL> acl | int version
//! check            ustring path | int version                                  (in a multi only)
//! multi            (header | request).. | header (done)                        header: int type | boolean done | int err
//!
//! ACL              int perms | ustring scheme | ustring id
//!
//! replies          create: ustring path     create2: ustring path | Stat      setData, setACL: Stat      delete: nothing
//!                  multi: (header | reply).. | header (done); where one failed, (header -1 | int err).. for all
//! ```

use bytes::{BufMut, BytesMut};

use super::ErrorCode;
use crate::Error;
use crate::jute::{JuteReader, put_buffer, put_count};
use crate::tree::{Done, Write};

const CREATE: i32 = 1;
const DELETE: i32 = 2;
const SET_DATA: i32 = 5;
const SET_ACL: i32 = 7;
const CHECK: i32 = 13;
const CREATE2: i32 = 15;
/// The type of an answer that is an error, and of the end of a multi.
const NOTHING: i32 = -1;
/// Read, write, create, delete, administer.
const ALL_PERMISSIONS: i32 = 31;

impl<'a> Write<'a> {
    /// Decodes the body of a request that writes.
    pub(super) fn decode(op_code: i32, reader: &mut JuteReader<'a>) -> Result<Self, Error> {
        let path = reader.ustring("path")?;
        Ok(match op_code {
            CREATE | CREATE2 => {
                let data = reader.buffer("data")?.unwrap_or_default();
                let is_open = reads_open_acl(reader)?;
                match reader.int("flags")? {
                    _ if !is_open => Self::Refused(ErrorCode::InvalidAcl),
                    flags @ 0..4 => Self::Create {
                        path,
                        data,
                        ephemeral: flags & 1 != 0,
                        sequential: flags & 2 != 0,
                        with_stat: op_code == CREATE2,
                    },
                    _ => Self::Refused(ErrorCode::Unimplemented),
                }
            }
            DELETE => Self::Delete { path, version: reader.int("version")? },
            SET_DATA => {
                let data = reader.buffer("data")?.unwrap_or_default();
                Self::SetData { path, data, version: reader.int("version")? }
            }
            SET_ACL => {
                let is_open = reads_open_acl(reader)?;
                let version = reader.int("version")?;
                if is_open { Self::SetAcl { path, version } } else { Self::Refused(ErrorCode::InvalidAcl) }
            }
            CHECK => Self::Check { path, version: reader.int("version")? },
            _ => Self::Refused(ErrorCode::Unimplemented),
        })
    }

    /// Decodes the body of a multi.
    pub(super) fn decode_all(reader: &mut JuteReader<'a>) -> Result<Vec<Self>, Error> {
        let mut writes = Vec::new();
        loop {
            let op_code = reader.int("type")?;
            let is_end = reader.boolean("done")?;
            reader.int("err")?;
            if is_end {
                return Ok(writes);
            }
            match op_code {
                CREATE | CREATE2 | DELETE | SET_DATA | CHECK => writes.push(Self::decode(op_code, reader)?),
                // Where it ends is not known: nothing behind it can be read.
                _ => return Ok(vec![Self::Refused(ErrorCode::Unimplemented)]),
            }
        }
    }
}

/// Reads a list of who may do what; whether it lets everybody do everything.
fn reads_open_acl(reader: &mut JuteReader<'_>) -> Result<bool, Error> {
    let count = reader.int("acl")?;
    let mut is_open = false;
    // The count is not trusted: each element takes bytes of the frame.
    for _ in 0..count.max(0) {
        let permissions = reader.int("perms")?;
        let (scheme, id) = (reader.ustring("scheme")?, reader.ustring("id")?);
        is_open |= permissions == ALL_PERMISSIONS && scheme == "world" && id == "anyone";
    }
    Ok(is_open)
}

/// Appends the only list that there is.
pub(super) fn put_open_acl(out: &mut BytesMut) {
    put_count(out, 1);
    out.put_i32(ALL_PERMISSIONS);
    put_buffer(out, b"world");
    put_buffer(out, b"anyone");
}

impl Done {
    pub(super) fn put(&self, out: &mut BytesMut) {
        match self {
            Self::Created { path, stat } => {
                put_buffer(out, path.as_bytes());
                stat.iter().for_each(|stat| stat.put(out));
            }
            Self::Set(stat) => stat.put(out),
            Self::Deleted | Self::Checked => {}
        }
    }

    fn op_code(&self) -> i32 {
        match self {
            Self::Created { stat: None, .. } => CREATE,
            Self::Created { stat: Some(_), .. } => CREATE2,
            Self::Deleted => DELETE,
            Self::Set(_) => SET_DATA,
            Self::Checked => CHECK,
        }
    }
}

/// Appends the answer to a multi of so many writes.
pub(super) fn put_multi(out: &mut BytesMut, writes: usize, outcome: &Result<Vec<Done>, (usize, ErrorCode)>) {
    match outcome {
        Ok(done) => {
            for done in done {
                put_header(out, done.op_code(), false, 0);
                done.put(out);
            }
        }
        Err((failed, code)) => {
            for number in 0..writes {
                let code = match number.cmp(failed) {
                    std::cmp::Ordering::Less => 0,
                    std::cmp::Ordering::Equal => *code as i32,
                    std::cmp::Ordering::Greater => ErrorCode::RuntimeInconsistency as i32,
                };
                put_header(out, NOTHING, false, code);
                out.put_i32(code);
            }
        }
    }
    put_header(out, NOTHING, true, -1);
}

fn put_header(out: &mut BytesMut, op_code: i32, is_end: bool, code: i32) {
    out.put_i32(op_code);
    out.put_u8(u8::from(is_end));
    out.put_i32(code);
}
