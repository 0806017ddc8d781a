/** A value that is mostly there already: what is found in memory needs no promise, which costs every request a turn of the queue. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on at once when the value is there. */
export function andThen<In, Out>(value: Soon<In>, next: (value: In) => Soon<Out>): Soon<Out> {
  return value instanceof Promise ? value.then(next) : next(value);
}
