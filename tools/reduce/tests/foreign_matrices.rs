//! Stiffness and mass of a body as Abaqus, CalculiX and Ansys write them: the model is that of the body
//! itself.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::bar::folder_with_bar;
use crate::program::{failure, json};
use carom_format::read_rom;
use carom_testing::numbers;
use serde_json::Value;

const INTERFACE: &str = "--interface-nodes ends.txt --modes 12 --json";

/// The matrices of the bar in the numbering of another program.
struct Foreign {
    folder: tempfile::TempDir,
    /// Row, column (from 0) and value of the lower triangles.
    stiffness: Vec<(usize, usize, f64)>,
    mass: Vec<(usize, usize, f64)>,
    /// Number that the other program gives to a node.
    names: Vec<usize>,
    /// Row that the other program gives to a dof.
    rows: Vec<usize>,
}

impl Foreign {
    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn write(&self, name: &str, content: impl AsRef<str>) {
        fs::write(self.path().join(name), content.as_ref()).unwrap();
    }

    fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Entries in rows and columns of the other program, by column, of one triangle.
    fn renumbered(&self, entries: &[(usize, usize, f64)]) -> Vec<(usize, usize, f64)> {
        let mut out: Vec<(usize, usize, f64)> = entries
            .iter()
            .map(|&(i, j, value)| {
                let (i, j) = (self.rows[i], self.rows[j]);
                (i.max(j), i.min(j), value)
            })
            .collect();
        out.sort_by_key(|entry| (entry.1, entry.0));
        out
    }

    /// Dof of each row of the other program.
    fn dof_of_row(&self) -> Vec<usize> {
        let mut out = vec![0; self.n_rows()];
        self.rows.iter().enumerate().for_each(|(dof, &row)| out[row] = dof);
        out
    }

    fn mapping(&self) -> String {
        let mut text = "    Matrix Eqn          Node    DOF     \n".to_owned();
        for (row, dof) in self.dof_of_row().into_iter().enumerate() {
            let label = ["UX", "UY", "UZ"][dof % 3];
            writeln!(text, "{:14}{:14}    {label}  ", row + 1, self.names[dof / 3]).unwrap();
        }
        text
    }

    fn dof_file(&self) -> String {
        let line = |dof: usize| format!("{}.{}\n", self.names[dof / 3], dof % 3 + 1);
        self.dof_of_row().into_iter().map(line).collect()
    }

    /// By Ansys: one number per line, and an unused right-hand side.
    fn harwell_boeing(&self, entries: &[(usize, usize, f64)]) -> String {
        let (n, entries) = (self.n_rows(), self.renumbered(entries));
        let nnz = entries.len();
        let mut text = format!(
            "{:<80}\n{:14}{:14}{nnz:14}{nnz:14}{n:14}\n{:<14}{n:14}{n:14}{nnz:14}{:14}\n",
            "Stiffness matrix from ANSYS FULL file dumped into Harwell-Boeing format",
            n + 1 + 2 * nnz + n,
            n + 1,
            "RSA",
            0
        );
        writeln!(text, "{:<16}{:<16}{:<20}{:<20}", "(I14)", "(I14)", "(d25.15)", "(d25.15)").unwrap();
        writeln!(text, "{:<14}{:14}{n:14}", "F", 1).unwrap();
        for j in 0..=n {
            writeln!(text, "{:14}", 1 + entries.partition_point(|entry| entry.1 < j)).unwrap();
        }
        entries.iter().for_each(|entry| writeln!(text, "{:14}", entry.0 + 1).unwrap());
        for value in entries.iter().map(|entry| entry.2).chain((0..n).map(|_| 0.0)) {
            writeln!(text, "{:>25}", fortran(value)).unwrap();
        }
        text
    }

    /// By CalculiX: the smaller number first, thirteen digits behind the point.
    fn rows_and_columns(&self, entries: &[(usize, usize, f64)]) -> String {
        let line = |(i, j, value)| format!("{} {} {value:20.13e}\n", j + 1, i + 1);
        self.renumbered(entries).into_iter().map(line).collect()
    }

    /// By Abaqus; `both`: with the upper triangle too.
    fn labels(&self, entries: &[(usize, usize, f64)], both: bool) -> String {
        let mut text = String::new();
        for &(i, j, value) in entries {
            // One triangle in the row numbers of the other program.
            let (i, j) = if self.rows[i] > self.rows[j] { (i, j) } else { (j, i) };
            let label = |dof: usize| format!("{},{}", self.names[dof / 3], dof % 3 + 1);
            writeln!(text, "{}, {},  {value:.15e}", label(i), label(j)).unwrap();
            if both && i != j {
                writeln!(text, "{}, {},  {value:.15e}", label(j), label(i)).unwrap();
            }
        }
        text
    }

    fn import(&self, line: &str) -> Value {
        json(self.path(), &format!("import {line} {INTERFACE} -o again.rom"))
    }

    fn refused(&self, line: &str) -> String {
        failure(self.path(), 3, &format!("import {line} --interface-nodes ends.txt -o no.rom"))
    }

    /// Checks that the last imported model agrees with that of the body itself.
    fn is_the_bar(&self, made: &Value, what: &str) {
        let [old, new] =
            ["bar.rom", "again.rom"].map(|name| read_rom(&self.path().join(name)).unwrap().reduced);
        let hz = numbers(&made["frequencies_hz"]);
        assert_eq!(hz.len(), old.omega.len(), "{what}");
        for (a, b) in old.omega.iter().zip(&hz) {
            // Figures of the files: fourteen and more.
            assert!((a / std::f64::consts::TAU / b - 1.0).abs() < 1e-9, "{what}: {a} {b}");
        }
        assert!((new.invariants.mass / old.invariants.mass - 1.0).abs() < 1e-11, "{what}");
        assert!((0..3).all(|a| (new.com[a] - old.com[a]).abs() < 1e-12), "{what}");
        let expected = {
            let mut names: Vec<u32> =
                old.boundary.points.iter().map(|&p| self.names[p as usize] as u32 - 1).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(new.boundary.points, expected, "{what}");
    }
}

/// A number in the Fortran format `d25.15`.
fn fortran(value: f64) -> String {
    let text = format!("{value:.14e}");
    let (digits, exponent) = text.split_once('e').unwrap();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |rest| ("-", rest));
    let shifted = if value == 0.0 { 0 } else { exponent.parse::<i32>().unwrap() + 1 };
    format!("{sign}0.{}D{shifted:+03}", digits.replace('.', ""))
}

/// Entries of a Matrix Market file.
fn entries(text: &str) -> Vec<(usize, usize, f64)> {
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        (
            words[0].parse::<usize>().unwrap() - 1,
            words[1].parse::<usize>().unwrap() - 1,
            words[2].parse().unwrap(),
        )
    };
    text.lines().skip(2).map(line).collect()
}

/// The bar with permuted numbers of nodes and rows, and `nodes.txt`, `ends.txt` with these numbers.
fn foreign() -> Foreign {
    let folder = folder_with_bar();
    json(folder.path(), "export bar.npz -o bar --format mtx --json");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let nodes: Vec<String> = read("bar.nodes.txt")
        .lines()
        .skip(1)
        .map(|line| line.split_once(' ').unwrap().1.to_owned())
        .collect();
    // 29 and 100 have no divisor in common with 63 and 189, the numbers of nodes and rows.
    let n = nodes.len();
    let names: Vec<usize> = (0..n).map(|i| 1000 + 3 * ((29 * i + 7) % n)).collect();
    let rows = (0..3 * n).map(|dof| (100 * dof + 11) % (3 * n)).collect();
    let mut list: Vec<(usize, String)> =
        (0..n).map(|i| (names[i], format!("{} {}\n", names[i], nodes[i]))).collect();
    list.sort();
    // A node that no element uses.
    let text: String = list.iter().map(|(_, line)| line.as_str()).chain(["9 1.0 2.0 3.0\n"]).collect();
    fs::write(folder.path().join("nodes.txt"), &text).unwrap();
    let is_end = |line: &str| {
        let x: f64 = line.split(' ').next().unwrap().parse().unwrap();
        !(1e-9..0.12 - 1e-9).contains(&x)
    };
    let ends: Vec<String> = (0..n).filter(|&i| is_end(&nodes[i])).map(|i| names[i].to_string()).collect();
    fs::write(folder.path().join("ends.txt"), ends.join("\n")).unwrap();
    let (stiffness, mass) = (entries(&read("bar.K.mtx")), entries(&read("bar.M.mtx")));
    Foreign { folder, stiffness, mass, names, rows }
}

#[test]
fn matrices_of_abaqus_give_the_same_body() {
    let bar = foreign();
    for both in [false, true] {
        bar.write("K.mtx", bar.labels(&bar.stiffness, both));
        bar.write("M.mtx", bar.labels(&bar.mass, both));
        let made = bar.import("K.mtx M.mtx --nodes nodes.txt");
        bar.is_the_bar(&made, "labels");
        assert!(made["notes"].to_string().contains("as Abaqus writes it"), "{}", made["notes"]);
    }
    // The nodes as they stand in the input of that program, among other things.
    let nodes = fs::read_to_string(bar.path().join("nodes.txt")).unwrap().replace(' ', ", ");
    let model = format!(
        "*HEADING\na bar\n** nodes\n*Node, nset=all\n{nodes}*ELEMENT, type=C3D8\n1, 1000, 1003, 1006, 1009,\n\
         1012, 1015, 1018, 1021\n*NSET, nset=end\n1000, 1003, 1006, 1009\n"
    );
    bar.write("bar.inp", &model);
    let made = bar.import("K.mtx M.mtx --nodes bar.inp");
    bar.is_the_bar(&made, "inp");
    bar.write("rows.txt", bar.dof_file());
    let line = "import K.mtx M.mtx --nodes nodes.txt --dofs rows.txt --interface-nodes ends.txt -o no.rom";
    let text = failure(bar.path(), 2, line);
    assert!(text.contains("contains node and direction of each entry already"), "{text}");
}

#[test]
fn matrices_of_calculix_give_the_same_body() {
    let bar = foreign();
    bar.write("job.sti", bar.rows_and_columns(&bar.stiffness));
    bar.write("job.mas", bar.rows_and_columns(&bar.mass));
    // Without the order of the rows the import fails with a remedy.
    let text = bar.refused("job.sti job.mas --nodes nodes.txt");
    assert!(text.contains("--dofs FILE"), "{text}");
    bar.write("job.dof", bar.dof_file());
    let made = bar.import("job.sti job.mas --nodes nodes.txt");
    bar.is_the_bar(&made, "beside the stiffness");
    let notes = made["notes"].to_string();
    assert!(
        notes.contains("the 189 rows are those of `job.dof`") && notes.contains("found in the folder"),
        "{notes}"
    );
    fs::rename(bar.path().join("job.dof"), bar.path().join("rows.txt")).unwrap();
    let made = bar.import("job.sti job.mas --nodes nodes.txt --dofs rows.txt");
    bar.is_the_bar(&made, "named");
}

#[test]
fn matrices_of_ansys_give_the_same_body() {
    let bar = foreign();
    bar.write("K.matrix", bar.harwell_boeing(&bar.stiffness));
    bar.write("M.matrix", bar.harwell_boeing(&bar.mass));
    bar.write("K.mapping", bar.mapping());
    let made = bar.import("K.matrix M.matrix --nodes nodes.txt");
    bar.is_the_bar(&made, "Harwell-Boeing");
    let notes = made["notes"].to_string();
    assert!(notes.contains("as Ansys writes it") && notes.contains("Harwell-Boeing"), "{notes}");
    // By *EXPORT, with the rows of the same mapping.
    let market = |entries: &[(usize, usize, f64)]| {
        let n = bar.n_rows();
        let mut text = format!(
            "%%MatrixMarket matrix coordinate real symmetric \n%====\n% Creator: ANSYS Inc\n{n} {n} {}\n",
            entries.len()
        );
        for (i, j, value) in bar.renumbered(entries) {
            writeln!(text, "{} {} {value:.15E}", i + 1, j + 1).unwrap();
        }
        text
    };
    bar.write("K.mmf", market(&bar.stiffness));
    bar.write("M.mmf", market(&bar.mass));
    let made = bar.import("K.mmf M.mmf --nodes nodes.txt --dofs K.mapping");
    bar.is_the_bar(&made, "Matrix Market");
    // Several numbers a line, as other programs write the format.
    let compact = |entries: &[(usize, usize, f64)]| {
        let (n, entries) = (bar.n_rows(), bar.renumbered(entries));
        let wrapped = |fields: Vec<String>, per_line: usize| {
            let lines: Vec<String> = fields.chunks(per_line).map(<[String]>::concat).collect();
            (lines.len(), lines.join("\n"))
        };
        let starts = (0..=n).map(|j| format!("{:8}", 1 + entries.partition_point(|entry| entry.1 < j)));
        let [a, b, c] = [
            wrapped(starts.collect(), 10),
            wrapped(entries.iter().map(|entry| format!("{:8}", entry.0 + 1)).collect(), 10),
            wrapped(entries.iter().map(|entry| format!("{:24.15e}", entry.2)).collect(), 3),
        ];
        let header = format!(
            "compact\n{:14}{:14}{:14}{:14}\n{:<14}{n:14}{n:14}{:14}{:14}\n{:<16}{:<16}{:<20}\n",
            a.0 + b.0 + c.0,
            a.0,
            b.0,
            c.0,
            "rsa",
            entries.len(),
            0,
            "(10I8)",
            "(10I8)",
            "(1P,3E24.15)"
        );
        header + &[a.1, b.1, c.1].join("\n")
    };
    bar.write("K.rsa", compact(&bar.stiffness));
    bar.write("M.rsa", compact(&bar.mass));
    let made = bar.import("K.rsa M.rsa --nodes nodes.txt --dofs K.mapping");
    bar.is_the_bar(&made, "three numbers a line");
}

#[test]
fn errors_in_matrices_of_abaqus_are_reported_with_their_line() {
    let bar = foreign();
    let stiffness = bar.labels(&bar.stiffness, false);
    bar.write("M.mtx", bar.labels(&bar.mass, false));
    let first = stiffness.lines().next().unwrap();
    for (line, printed) in [
        ("1000,4, 1000,4, 1.0", "K.mtx`:1: node 1000 has the dof 4 (a rotation); only displacements"),
        ("1000,8, 1000,8, 1.0", "the dof 8 (a pressure)"),
        ("-5,1, -5,1, 1.0", "K.mtx`:1: node -5 is an internal node of Abaqus"),
        ("1001,1, 1001,1, 1.0", "K.mtx`:1: node 1001 is not in the list of the nodes, which has 64"),
        ("1000,1, 1000,1, 1.0e36", "K.mtx`:1: 1e36 for x of node 1000 is a support"),
        (
            "1000,1, 1000,1, many",
            "K.mtx`:1: expected `node direction node direction value`, found `1000,1, 1000,1, many`",
        ),
        ("1000,x, 1000,1, 1.0", "whole numbers of nodes and directions"),
    ] {
        bar.write("K.mtx", stiffness.replacen(first, line, 1));
        let text = bar.refused("K.mtx M.mtx --nodes nodes.txt");
        assert!(text.contains(printed), "{line}: {text}");
    }
    bar.write("K.mtx", format!("{first}\n1 2 3.0\n"));
    let text = bar.refused("K.mtx M.mtx --nodes nodes.txt");
    assert!(text.contains("K.mtx`:2: expected `node direction node direction value`"), "{text}");
    // An entry and its mirror that differ.
    bar.write("K.mtx", format!("{}1000,1, 1000,2, 1e12\n1000,2, 1000,1, 2e12\n", stiffness));
    let text = bar.refused("K.mtx M.mtx --nodes nodes.txt");
    assert!(text.contains("y of node 1000, x of node 1000") && text.contains("symmetric matrix"), "{text}");
    for (list, printed) in [
        ("*SYSTEM\n0, 0, 0\n*NODE\n1000, 0, 0, 0\n", "list`:1: expected the nodes in this file"),
        ("*NODE, SYSTEM=C\n1000, 0, 0, 0\n", "list`:1: expected"),
        ("*NODE, INPUT=other.txt\n", "list`:1: expected"),
        ("*NODE\n1000, 0, 0, 0\n*INSTANCE, name=a, part=b\n0, 0, 1\n", "list`:4: expected"),
        ("*NODE\n1000, 0, 0, 0\n*NODE\n1000, 1, 0, 0\n", "list`:4: node 1000 is listed twice"),
        ("*ELEMENT, type=C3D4\n1, 1, 2, 3, 4\n", "lists no nodes"),
    ] {
        bar.write("list", list);
        let text = bar.refused("K.mtx M.mtx --nodes list");
        assert!(text.contains(printed), "{list}: {text}");
    }
    assert!(!bar.path().join("no.rom").exists());
}

#[test]
fn errors_in_the_rows_of_matrices_are_reported_with_their_line() {
    let bar = foreign();
    bar.write("job.sti", bar.rows_and_columns(&bar.stiffness));
    bar.write("job.mas", bar.rows_and_columns(&bar.mass));
    let (dofs, mapping) = (bar.dof_file(), bar.mapping());
    let lines = |text: &str, from: usize, to: usize| {
        text.lines().skip(from).take(to - from).map(|line| line.to_owned() + "\n").collect::<String>()
    };
    let first = |text: &str| lines(text, 0, 1);
    let second = mapping.lines().nth(1).unwrap();
    let mut rotated = second.replace("UX", "ROTX").replace("UY", "ROTX").replace("UZ", "ROTX");
    rotated.push('\n');
    for (content, printed) in [
        (String::new(), "rows.txt` is empty".to_owned()),
        (lines(&dofs, 0, 100), "has no row for".to_owned()),
        (first(&dofs) + &dofs, format!("rows.txt`:2: {} of node", direction(&dofs))),
        ("1000.0\n".to_owned(), "rows.txt`:1: node 1000 has the dof 1000.0 (a temperature)".to_owned()),
        ("1000.4\n".to_owned(), "rows.txt`:1: node 1000 has the dof 1000.4; only".to_owned()),
        ("1001.1\n".to_owned(), "rows.txt`:1: node 1001 is not in the list".to_owned()),
        ("1000\n".to_owned(), "rows.txt`:1: expected `node.direction`".to_owned()),
        (first(&mapping) + &rotated, "rows.txt`:2: node 1".to_owned()),
        (first(&mapping) + &rotated, "has the dof ROTX (a rotation); only displacements".to_owned()),
        (first(&mapping) + "1 1000 PRES\n", "the dof PRES (a pressure)".to_owned()),
        (first(&mapping) + "400 1000 UX\n", "rows.txt`:2: expected rows from 1 to 1, each once".to_owned()),
        (first(&mapping) + "1 1000\n", "rows.txt`:2: expected `row node label`".to_owned()),
        (mapping.replace("Eqn", "Eqn\n?"), "rows.txt`:2: expected `row node label`".to_owned()),
    ] {
        bar.write("rows.txt", &content);
        let text = bar.refused("job.sti job.mas --nodes nodes.txt --dofs rows.txt");
        assert!(text.contains(&printed), "{printed}: {text}");
    }
    // The rows belong to another run, of a body of one node.
    bar.write("rows.txt", "1000.1\n1000.2\n1000.3\n");
    bar.write("K.matrix", bar.harwell_boeing(&bar.stiffness));
    let text = bar.refused("K.matrix job.mas --nodes nodes.txt --dofs rows.txt");
    assert!(text.contains("`K.matrix` has 189 rows, but `rows.txt` has 3"), "{text}");
    let text = bar.refused("job.sti job.mas --nodes nodes.txt --dofs rows.txt");
    assert!(text.contains("with rows and columns from 1 to 3"), "{text}");
}

/// Direction of the first row.
fn direction(dofs: &str) -> &'static str {
    let line = dofs.lines().next().unwrap();
    ["x", "y", "z"][line.rsplit('.').next().unwrap().parse::<usize>().unwrap() - 1]
}

#[test]
fn errors_in_harwell_boeing_files_are_reported_with_their_line() {
    let bar = foreign();
    let good = bar.harwell_boeing(&bar.stiffness);
    bar.write("M.matrix", bar.harwell_boeing(&bar.mass));
    bar.write("rows.txt", bar.mapping());
    let lines: Vec<&str> = good.lines().collect();
    let changed = |i: usize, line: &str| {
        let mut lines = lines.clone();
        lines[i] = line;
        lines.join("\n")
    };
    let n_pointers = bar.n_rows() + 1;
    let last = lines.len() - bar.n_rows() - 10;
    for (content, printed) in [
        (
            changed(2, &lines[2].replace("RSA", "CUA")),
            "K.matrix`:3: Harwell-Boeing matrices of type `CUA`".to_owned(),
        ),
        (changed(2, "RSA  189  190  5  0"), "K.matrix`:3: expected as many columns as rows".to_owned()),
        (
            changed(3, "(A14)           (I14)           (d25.15)"),
            "K.matrix`:4: expected Fortran formats".to_owned(),
        ),
        (
            changed(5, "             2"),
            "K.matrix`:6: expected pointers to columns that ascend from 1".to_owned(),
        ),
        (changed(9, "             1"), "K.matrix`:10: expected pointers".to_owned()),
        (
            changed(5 + n_pointers, "           900"),
            format!("K.matrix`:{}: expected a row from 1 to 189", 6 + n_pointers),
        ),
        (changed(last, "      0.1234567D+0x"), format!("K.matrix`:{}: expected a value", last + 1)),
        (lines[..last].join("\n"), "it was cut".to_owned()),
        (lines[..8].join("\n"), "K.matrix`:9: expected pointers to columns".to_owned()),
        ("HB\0\0\0".to_owned(), "`K.matrix` is not a text file; write it as text (Ansys: HBMAT".to_owned()),
    ] {
        bar.write("K.matrix", content);
        let text = bar.refused("K.matrix M.matrix --nodes nodes.txt --dofs rows.txt");
        assert!(text.contains(&printed), "{printed}: {text}");
    }
}
