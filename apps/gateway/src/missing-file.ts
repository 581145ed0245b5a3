/** For `catch`: a value in place of what is read of a file that is not there. Any other failure goes on. */
export function whenMissing<Value>(value: Value): (error: NodeJS.ErrnoException) => Value {
  return (error) => {
    if (error.code === 'ENOENT') return value;
    throw error;
  };
}
