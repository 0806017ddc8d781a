// The package is 1 MB of source and takes 50 MB when loaded, so it is a bundle of its own (scripts/build.mjs) that only a task thread
// imports. It is the build of MJML for browsers: without access to files, which mj-include would read.
import mjml2html from 'mjml-browser';

export interface MjmlResult {
  html: string;
  errors: { line: number; message: string; tagName: string }[];
}

export const compileMjml = mjml2html as (
  source: string,
  options: { validationLevel: 'soft'; keepComments: boolean },
) => MjmlResult | Promise<MjmlResult>;
