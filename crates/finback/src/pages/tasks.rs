//! What goes on in the server, for its pages.

use super::ServerPages;
use super::regions::text;
use finback_pages::model::{Procedure, Refused, Task, Tasks};
use finback_proto::pb;
use std::time::Instant;

impl ServerPages {
    pub(super) fn all_tasks(&self, until: Instant) -> Tasks {
        let server = &self.sources.region_server;
        let figures = server.figures().0;
        let mut running: Vec<Task> =
            server.open_regions().iter().flat_map(|region| compactions(region)).collect();
        running.extend(server.flushes_under_way().into_iter().map(|(region, since_ms)| Task {
            description: format!("Flushing {region}"),
            status: "Running".to_owned(),
            since_ms,
            ..Task::default()
        }));
        Tasks {
            running,
            waiting: vec![
                ("Flushes", figures.flushes_waiting),
                ("Small compactions", figures.small_compactions_waiting),
                ("Large compactions", figures.large_compactions_waiting),
            ],
            procedures: self.procedures(until),
        }
    }

    /// Newest first.
    fn procedures(&self, until: Instant) -> Result<Vec<Procedure>, Refused> {
        let request = pb::GetProceduresRequest::default();
        let answer: pb::GetProceduresResponse = self.ask_master(until, "GetProcedures", &request)?;
        let mut procedures: Vec<_> = answer.procedure.iter().map(procedure).collect();
        procedures.sort_by_key(|one| std::cmp::Reverse(one.id));
        Ok(procedures)
    }
}

fn compactions(region: &finback_region::Region) -> Vec<Task> {
    let task = |compaction: finback_region::CompactionUnderWay| {
        let kind = if compaction.is_major { "Major" } else { "Minor" };
        let (done, cells) = (compaction.compacted_cells, compaction.total_cells);
        Task {
            description: format!("Compacting {} in {}", text(&compaction.family), text(region.name())),
            status: format!("{kind} compaction: {done} of {cells} cells"),
            progress: (cells > 0).then(|| done as f64 / cells as f64),
            since_ms: compaction.since_ms.unsigned_abs(),
        }
    };
    region.compactions().into_iter().map(task).collect()
}

fn procedure(message: &pb::Procedure) -> Procedure {
    let exception = message.exception.as_ref().and_then(|one| one.generic_exception.as_ref());
    let class = message.class_name.rsplit('.').next().unwrap_or_default();
    Procedure {
        id: message.proc_id,
        class: class.to_owned(),
        state: message.state().as_str_name().to_owned(),
        owner: message.owner().to_owned(),
        submitted_ms: message.submitted_time,
        updated_ms: message.last_update,
        failure: exception.map_or_else(String::new, |exception| exception.message().to_owned()),
    }
}
