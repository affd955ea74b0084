//! Processor time and memory of processes, from `/proc`.

use std::{fs, io};

/// One part of the installation.
#[derive(Clone, Debug)]
pub struct Part {
    /// What the report calls it.
    pub name: &'static str,
    /// Process id.
    pub pid: u32,
    /// Whether the processes that it starts are part of it.
    with_children: bool,
}

/// Clock ticks in a second, in which `/proc` counts.
///
/// # Errors
/// When the system does not say.
pub fn ticks_per_second() -> io::Result<u64> {
    let output = std::process::Command::new("getconf")
        .arg("CLK_TCK")
        .output()?;
    let ticks = String::from_utf8_lossy(&output.stdout).trim().parse();
    ticks.map_err(io::Error::other)
}

impl Part {
    /// A process alone.
    #[must_use]
    pub const fn process(name: &'static str, pid: u32) -> Self {
        Self {
            name,
            pid,
            with_children: false,
        }
    }

    /// A process with all that it starts.
    #[must_use]
    pub const fn family(name: &'static str, pid: u32) -> Self {
        Self {
            name,
            pid,
            with_children: true,
        }
    }

    /// Ticks that it has run.
    ///
    /// # Errors
    /// When there is no such process.
    pub fn ticks(&self) -> io::Result<u64> {
        let own = stat(self.pid).ok_or_else(|| io::Error::other(self.name))?;
        if !self.with_children {
            return Ok(own.ticks);
        }
        // Children that end between the two readings count with their parent from then on.
        let children = processes().filter_map(stat);
        let children = children.filter(|child| child.parent == self.pid);
        Ok(own.ticks + own.ended_children + children.map(|child| child.ticks).sum::<u64>())
    }

    /// Resident memory in bytes, its own.
    ///
    /// # Errors
    /// When there is no such process.
    pub fn resident(&self) -> io::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        let kib = kib.and_then(|kib| kib.trim().parse::<u64>().ok());
        kib.map(|kib| kib * 1024)
            .ok_or_else(|| io::Error::other("VmRSS"))
    }
}

/// The process whose command line has all of these.
fn find(parts: &[&str]) -> Option<u32> {
    processes().find(|pid| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let arguments: Vec<&[u8]> = line.split(|byte| *byte == 0).collect();
        parts.iter().all(|part| {
            let mut arguments = arguments.iter();
            arguments.any(|argument| argument.ends_with(part.as_bytes()))
        })
    })
}

/// The first process of the Postgres on this machine that a URL names by its port.
#[must_use]
pub fn postgres(url: &str) -> Option<u32> {
    let (_, end) = url.rsplit_once(':')?;
    find(&["postgres", end.split('/').next()?])
}

/// The processes that a process has started and that still run.
#[must_use]
pub fn children(parent: u32) -> Vec<u32> {
    let mut found: Vec<u32> = processes().collect();
    found.retain(|pid| stat(*pid).is_some_and(|stat| stat.parent == parent));
    found
}

fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

struct Stat {
    parent: u32,
    ticks: u64,
    ended_children: u64,
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(stat: &str) -> Option<Stat> {
    // The name, in brackets, may hold anything; the fields after it are numbered from 3.
    let (_, after) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = after.split_whitespace().collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    Some(Stat {
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
        ended_children: number(16)? + number(17)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_read_behind_a_name_with_brackets() {
        let stat = parse("42 (a b) c) S 7 42 42 0 -1 4194304 1 2 3 4 100 20 3 4 20 0").unwrap();
        assert_eq!((stat.parent, stat.ticks, stat.ended_children), (7, 120, 7));
    }

    #[test]
    fn this_process_has_memory_and_time() {
        let part = Part::family("test", std::process::id());
        assert!(part.resident().unwrap() > 4096);
        assert!(part.ticks().is_ok());
    }
}
