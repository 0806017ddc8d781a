// `npm run try-chart`: compares the renderer of the Helm chart in the tests with Go's templates. Needs Debian's Go and libraries:
// apt-get install golang-go golang-github-masterminds-sprig-dev golang-github-ghodss-yaml-dev
import { runTypeScript } from './run-typescript.mjs';

process.exitCode = await runTypeScript('deploy/test/compare-with-go.ts', []);
