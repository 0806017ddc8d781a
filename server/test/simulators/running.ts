/** A call to Carillon's API with a Live key; `{env}` in the path is the id of the Live environment. */
export interface Step {
  method: 'PUT' | 'POST';
  path: string;
  body: object;
}

/** A running simulator, and how to point Carillon at it. */
export interface Running {
  url: string;
  /** The URL of the control calls: `POST …/__script`. */
  controlUrl: string;
  /** The name and body of an example of a control call; by default one after which the next call is not answered. */
  control?: [name: string, body: object];
  /** Settings that Carillon itself has to be started with. */
  settings?: Record<string, string>;
  /** The calls that make Carillon use the simulator. */
  steps: Step[];
  /** A notification to send then. */
  send: object;
  stop(): Promise<void>;
}

/** Called once for each message that arrives. */
export type OnMessage = (line: string) => void;

export interface Entry {
  name: string;
  port: number;
  start(port: number, onMessage: OnMessage): Promise<Running>;
}
