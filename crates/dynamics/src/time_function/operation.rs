//! Operations of a formula on a stack of numbers.

/// Size of the stack of an evaluation.
pub(super) const STACK: usize = 32;

/// An operation on the stack.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Operation {
    Number(f64),
    Time,
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Of(Function),
}

/// A function of one or two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Sin,
    Cos,
    Tan,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Log,
    Sqrt,
    Abs,
    Step,
    Smoothstep,
    Min,
    Max,
}

impl Function {
    /// Number of its arguments.
    pub(super) fn arguments(self) -> usize {
        if matches!(self, Self::Min | Self::Max) { 2 } else { 1 }
    }
}

impl Operation {
    /// Its change of the height of the stack.
    pub(super) fn grows(self) -> isize {
        match self {
            Self::Number(_) | Self::Time => 1,
            Self::Negate => 0,
            Self::Of(function) => 1 - function.arguments() as isize,
            _ => -1,
        }
    }
}
