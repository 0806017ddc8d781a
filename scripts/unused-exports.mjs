import { exportsOf, importsOf } from './exports.mjs';

const checked = ['server/src', 'server/test', 'bench', 'cli/src', 'dashboard/src', 'deploy'];
const importing = ['sdk/test', 'cli/test', 'widgets/test', 'dashboard/test', 'site'];
/** Read by a tool from a default export. */
const isEntry = /\.config\.ts$|\/global-setup\.ts$/;

/** Every exported name is imported by another file. What a published package exports is left out. */
export function unusedExports(tree) {
  const files = [...new Set(tree.filesIn([...checked, ...importing]))];
  const taken = new Set(files.flatMap(importsOf).map(({ path, name }) => `${path} ${name}`));
  const sources = files.filter(({ fileName }) => checked.some((folder) => fileName.startsWith(`${folder}/`)));
  const problems = sources
    .filter(({ fileName }) => !isEntry.test(fileName) && !taken.has(`${fileName} null`))
    .flatMap((file) =>
      exportsOf(file)
        .filter(({ name }) => !taken.has(`${file.fileName} ${name}`))
        .map(({ name, line }) => `${file.fileName}:${line} exports ${name}, which no other file imports`),
    );
  if (sources.length === 0) problems.push('there is no source file here');
  return { problems, summary: `${sources.length} files export only names that others import` };
}
