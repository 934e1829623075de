/**
 * Build step: gives the JSON Schemas of results the texts that the types of results have, and the fields that they have beyond
 * what a report needs.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));
const RESULTS = { evaluation: ['result', 'EvaluationResult'], replay: ['replay-result', 'ReplayResult'] };

const sources = Object.values(RESULTS).map(([file]) => `${dist}report/${file}.d.ts`);
const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, types: ['node'] };
const program = ts.createProgram(sources, options);
const checker = program.getTypeChecker();

for (const [name, [, typeName]] of Object.entries(RESULTS)) {
  const type = sources
    .map((path) => checker.getSymbolAtLocation(program.getSourceFile(path)))
    .flatMap((module) => checker.getExportsOfModule(module))
    .find((symbol) => symbol.name === typeName);
  const file = `${dist}schema/${name}.schema.json`;
  const schema = JSON.parse(readFileSync(file, 'utf8'));
  document(schema, checker.getDeclaredTypeOfSymbol(type));
  writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
}

/** Adds texts to a schema and all that is in it. */
function document(schema, whole) {
  const type = checker.getNonNullableType(whole);
  // Null, or something.
  for (const part of schema.anyOf ?? []) document(part, type);
  if (schema.items !== undefined) {
    const element = checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element !== undefined) document(schema.items, element);
  }
  if (schema.properties === undefined) {
    const value = checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (value !== undefined && typeof schema.additionalProperties === 'object')
      document(schema.additionalProperties, value);
    return;
  }
  for (const symbol of checker.getPropertiesOfType(type)) {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replaceAll(/\s+/g, ' ');
    schema.properties[symbol.name] ??= {};
    const property = schema.properties[symbol.name];
    document(property, checker.getTypeOfSymbol(symbol));
    if (text !== '') property.description = text;
  }
}
