//! Results as Arrow tables, which others take without a copy through the Arrow PyCapsule interface
//! (<https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>).

use std::sync::Arc;

use ackless_lab::LabError;
use arrow_array::ffi::FFI_ArrowSchema;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array as _, ArrayRef, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray};
use arrow_schema::{ArrowError, Field, Schema};
use pyo3::exceptions::{PyKeyError, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyList};
use serde_json::{Map, Value};

/// A table of columns, each of whole numbers, numbers or texts, any of which may be missing.
#[pyclass(frozen, module = "ackless._native")]
#[derive(Clone, Debug)]
pub struct Table {
    batch: RecordBatch,
}

/// What stands in a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Whole numbers.
    Whole,
    /// Numbers.
    Number,
    /// Texts.
    Text,
    /// The narrowest of these that all values are.
    Any,
}

impl Table {
    /// The table in `text`, which is CSV with a line of names; `kind` says what stands in a column.
    pub fn of_csv(text: &str, kind: impl Fn(&str) -> Kind) -> Result<Self, LabError> {
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        let unread = |error: csv::Error| LabError::Format("a table", error.to_string());
        let names: Vec<String> = reader.headers().map_err(unread)?.iter().map(str::to_owned).collect();
        let mut columns: Vec<Vec<Option<String>>> = vec![Vec::new(); names.len()];
        for record in reader.records() {
            for (column, field) in columns.iter_mut().zip(record.map_err(unread)?.iter()) {
                column.push((!field.is_empty()).then(|| field.to_owned()));
            }
        }
        Self::of(names.into_iter().zip(columns).map(|(name, column)| {
            let array = array_of_texts(&column, kind(&name));
            (name, array)
        }))
    }

    /// A table with a row for each of these objects; an object within one becomes columns of its own, a list is left out.
    pub fn of_objects<'a>(objects: impl IntoIterator<Item = &'a Map<String, Value>>) -> Result<Self, LabError> {
        let mut columns: Vec<(String, Vec<Value>)> = Vec::new();
        for (row, object) in objects.into_iter().enumerate() {
            let mut cells = Vec::new();
            flatten("", object, &mut cells);
            for (name, value) in cells {
                let place = columns.iter().position(|(known, _)| *known == name).unwrap_or_else(|| {
                    columns.push((name, Vec::new()));
                    columns.len() - 1
                });
                columns[place].1.resize(row, Value::Null);
                columns[place].1.push(value);
            }
        }
        let rows = columns.iter().map(|(_, column)| column.len()).max().unwrap_or(0);
        // What was null in one row and an object in another is no column.
        let names: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let is_outer = |name: &str| names.iter().any(|other| other.starts_with(&format!("{name}.")));
        columns.retain(|(name, column)| !(is_outer(name) && column.iter().all(Value::is_null)));
        Self::of(columns.into_iter().map(|(name, mut column)| {
            column.resize(rows, Value::Null);
            let array = array_of_values(&column);
            (name, array)
        }))
    }

    fn of(columns: impl Iterator<Item = (String, ArrayRef)>) -> Result<Self, LabError> {
        let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) =
            columns.map(|(name, array)| (Field::new(name, array.data_type().clone(), true), array)).unzip();
        let rows = arrays.first().map_or(0, |array| array.len());
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
        Ok(Self { batch: batch.map_err(|error| LabError::Format("a table", error.to_string()))? })
    }
}

#[pymethods]
impl Table {
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The values of a column, `None` where there is none.
    fn column<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyList>> {
        let array = self.batch.column_by_name(name);
        let array = array.ok_or_else(|| {
            PyKeyError::new_err(format!("{name}: no column is called so; there are {}", self.column_names().join(", ")))
        })?;
        if let Some(array) = array.as_any().downcast_ref::<Int64Array>() {
            return PyList::new(py, array.iter().collect::<Vec<_>>());
        }
        if let Some(array) = array.as_any().downcast_ref::<Float64Array>() {
            return PyList::new(py, array.iter().collect::<Vec<_>>());
        }
        let array = array.as_any().downcast_ref::<StringArray>().expect("columns are of three types");
        PyList::new(py, array.iter().collect::<Vec<_>>())
    }

    /// The schema, for who asks for it through the Arrow PyCapsule interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.batch.schema().as_ref()).map_err(refused)?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// The table, for who asks for it through the Arrow PyCapsule interface: the memory is shared. Another schema is not cast to, as the interface
    /// permits.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        let batches = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(batches)), c"arrow_array_stream")
    }
}

fn refused(error: ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

fn flatten(before: &str, object: &Map<String, Value>, cells: &mut Vec<(String, Value)>) {
    for (key, value) in object {
        let name = if before.is_empty() { key.clone() } else { format!("{before}.{key}") };
        match value {
            Value::Object(inner) => flatten(&name, inner, cells),
            Value::Array(_) => {}
            value => cells.push((name, value.clone())),
        }
    }
}

fn array_of_texts(column: &[Option<String>], kind: Kind) -> ArrayRef {
    let given = || column.iter().flatten();
    let kind = match kind {
        Kind::Any if given().all(|text| text.parse::<i64>().is_ok()) && given().next().is_some() => Kind::Whole,
        Kind::Any if given().all(|text| text.parse::<f64>().is_ok()) && given().next().is_some() => Kind::Number,
        Kind::Any => Kind::Text,
        kind => kind,
    };
    match kind {
        Kind::Whole => {
            let values = column.iter().map(|text| text.as_ref().and_then(|text| text.parse::<i64>().ok()));
            Arc::new(values.collect::<Int64Array>())
        }
        Kind::Number => {
            let values = column.iter().map(|text| text.as_ref().and_then(|text| text.parse::<f64>().ok()));
            Arc::new(values.collect::<Float64Array>())
        }
        Kind::Text | Kind::Any => Arc::new(column.iter().map(Option::as_deref).collect::<StringArray>()),
    }
}

fn array_of_values(column: &[Value]) -> ArrayRef {
    let mut given = column.iter().filter(|value| !value.is_null()).peekable();
    let any = given.peek().is_some();
    let (whole, number): (Vec<bool>, Vec<bool>) =
        given.map(|value| (value.is_i64() || value.is_u64() || value.is_boolean(), value.is_number())).unzip();
    if any && whole.iter().all(|&whole| whole) {
        let values = column.iter().map(|value| value.as_i64().or_else(|| value.as_bool().map(i64::from)));
        return Arc::new(values.collect::<Int64Array>());
    }
    if number.iter().all(|&number| number) {
        return Arc::new(column.iter().map(Value::as_f64).collect::<Float64Array>());
    }
    Arc::new(column.iter().map(Value::as_str).collect::<StringArray>())
}

/// What stands in the columns of tables of runs and estimates.
pub fn kind_of_figure(name: &str) -> Kind {
    match name {
        "scheme" | "cautions" | "cell" => Kind::Text,
        "seed" | "seeds" => Kind::Whole,
        // A key of the scenario.
        name if name.contains('.') => Kind::Any,
        _ => Kind::Number,
    }
}

/// What stands in the columns of timelines.
pub fn kind_of_timeline(name: &str) -> Kind {
    match name {
        "kind" | "transmitter" | "receiver" | "outcome" | "flow" => Kind::Text,
        _ => Kind::Whole,
    }
}
