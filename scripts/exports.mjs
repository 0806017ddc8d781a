// What the source files of a tree export and import, read from their syntax alone: no types have to be checked for it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import ts from 'typescript';

/** A tree of source files, each parsed once. Paths are those from the root of the tree. */
export function readTree(root) {
  const parsed = new Map();
  return {
    /** The parsed TypeScript files below these folders that exist. */
    filesIn(folders) {
      return pathsIn(root, folders).map((path) => {
        if (!parsed.has(path)) parsed.set(path, parse(root, path));
        return parsed.get(path);
      });
    },
  };
}

function pathsIn(root, folders) {
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((path) => !/\/(node_modules|dist)\//.test(path));
}

function parse(root, path) {
  const kind = path.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const options = {
    languageVersion: ts.ScriptTarget.Latest,
    jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
  };
  return ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), options, false, kind);
}

/** Every name that the file exports, as `{ name, isType, isDeclaredType, line }`; a list (`export { … }`) declares nothing. */
export function exportsOf(file) {
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return listedExports(file, statement);
    if (ts.isExportAssignment(statement))
      return [{ name: 'default', isType: false, isDeclaredType: false, line: lineOf(file, statement) }];
    if (!statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
    const names = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations.flatMap(({ name }) => boundNames(name))
      : [statement.name?.text ?? 'default'];
    return names.map((name) => ({
      name,
      isType,
      isDeclaredType: isType || ts.isClassDeclaration(statement),
      line: lineOf(file, statement),
    }));
  });
}

function listedExports(file, { exportClause, isTypeOnly }) {
  if (!exportClause || !ts.isNamedExports(exportClause)) return [];
  return exportClause.elements.map((element) => ({
    name: element.name.text,
    isType: isTypeOnly || element.isTypeOnly,
    isDeclaredType: false,
    line: lineOf(file, element),
  }));
}

function boundNames(name) {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (element.name ? boundNames(element.name) : []));
}

/** What the file takes from others, as `{ path, name }`; the name is null where everything is taken. */
export function importsOf(file) {
  const taken = [];
  const take = (specifier, names) => {
    if (!specifier?.startsWith('.')) return;
    const path = posix.join(dirname(file.fileName), specifier);
    for (const name of names) taken.push({ path, name });
  };
  const visit = (node) => {
    if (ts.isImportDeclaration(node)) take(node.moduleSpecifier.text, namesOf(node.importClause));
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier)
      take(
        node.moduleSpecifier.text,
        node.exportClause?.elements?.map((element) => (element.propertyName ?? element.name).text) ?? [null],
      );
    else if (isDynamicImport(node)) take(node.arguments[0].text, [null]);
    else if (ts.isImportTypeNode(node)) take(node.argument.literal?.text, [null]);
    if (isAnywhere) ts.forEachChild(node, visit);
  };
  const isAnywhere = /\bimport\(/.test(file.text); // else only the statements of the file import
  file.statements.forEach(visit);
  return taken;
}

function namesOf(clause) {
  if (!clause) return [];
  const named = clause.namedBindings;
  return [
    ...(clause.name ? ['default'] : []),
    ...(named && ts.isNamespaceImport(named) ? [null] : []),
    ...(named && ts.isNamedImports(named)
      ? named.elements.map((element) => (element.propertyName ?? element.name).text)
      : []),
  ];
}

function isDynamicImport(node) {
  return (
    ts.isCallExpression(node) &&
    node.expression.kind === ts.SyntaxKind.ImportKeyword &&
    ts.isStringLiteralLike(node.arguments[0])
  );
}

function lineOf(file, node) {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
