/**
 * Build step: gives the declarations in dist/ the sentences of the zod schemas as TSDoc. Types that are inferred from schemas
 * have none of their own, and a sentence that feeds the JSON Schemas and the errors is not to be written twice.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import ts from 'typescript';
import { z } from 'zod';

const dist = new URL('../dist/', import.meta.url);
const { ALGORITHMS } = await import(new URL('learner/set/algorithms.js', dist));

for (const path of readdirSync(dist, { recursive: true })) {
  if (!path.endsWith('.d.ts')) continue;
  const url = new URL(path, dist);
  const text = readFileSync(url, 'utf8');
  if (!/\bz\.ZodObject<|\bEntry</.test(text)) continue;
  const exported = await import(url.href.replace(/\.d\.ts$/, '.js'));
  writeFileSync(url, documented(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), exported));
}

/** The text of a declaration file with the comments that it lacks. */
function documented(file, exported) {
  const comments = new Map();
  const comment = (node, sentence) => {
    if (ts.getJSDocCommentsAndTags(node).length === 0 && sentence) comments.set(node.getStart(), sentence);
  };
  for (const statement of file.statements) {
    if (ts.isVariableStatement(statement)) {
      const [{ name, type }] = statement.declarationList.declarations;
      const algorithm = entryOf(type, exported[name.text]);
      if (algorithm !== undefined) comment(statement, `${sentence(algorithm.summary)} ${sentence(algorithm.source)}`);
      const schema = algorithm?.schema ?? schemaNamed(exported, name.text);
      if (schema !== undefined) members(type, jsonOf(schema), comment);
    } else if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) {
      const schema = schemaNamed(exported, /z\.(?:output|infer)<typeof (\w+)>/.exec(statement.getText())?.[1]);
      if (schema !== undefined) comment(statement, sentence(jsonOf(schema).description));
    }
  }
  let text = file.text;
  for (const [at, words] of [...comments].sort(([a], [b]) => b - a)) {
    const indent = /[^\n]*$/.exec(text.slice(0, at))[0].replace(/\S.*/, '');
    text = `${text.slice(0, at)}/** ${words.replaceAll('*/', '*\\/')} */\n${indent}${text.slice(at)}`;
  }
  return text;
}

/** Comments on the properties of a type, from the JSON Schema of the same value. */
function members(type, json, comment) {
  if (json === undefined) return;
  if (ts.isTypeLiteralNode(type)) {
    for (const member of type.members) {
      const property = json.properties?.[member.name.text];
      if (property === undefined) continue;
      comment(member, hover(property));
      members(member.type, property, comment);
    }
  } else if (ts.isTupleTypeNode(type)) {
    for (const [i, element] of type.elements.entries()) members(element, json.anyOf?.[i], comment);
  } else if (ts.isTypeOperatorNode(type)) members(type.type, json, comment);
  else if (ts.isTypeReferenceNode(type) && type.typeArguments !== undefined) {
    const inner = type.typeArguments[type.typeName.text === 'Entry' ? 1 : 0];
    members(inner, type.typeName.right?.text === 'ZodArray' ? json.items : json, comment);
  }
}

/** What an editor shows of a property: what it is, what it may be, what it is where left out. */
function hover({ description, default: standard, minimum, exclusiveMinimum, maximum, exclusiveMaximum }) {
  const bounds = [
    minimum > Number.MIN_SAFE_INTEGER ? `≥ ${minimum}` : '',
    exclusiveMinimum !== undefined ? `> ${exclusiveMinimum}` : '',
    maximum < Number.MAX_SAFE_INTEGER ? `≤ ${maximum}` : '',
    exclusiveMaximum !== undefined ? `< ${exclusiveMaximum}` : '',
  ].filter((bound) => bound !== '');
  const range = bounds.length === 0 ? '' : ` Range: ${bounds.join(', ')}.`;
  return description && sentence(description) + range + (standard === undefined ? '' : ` Default: ${standard}.`);
}

function sentence(words) {
  return (
    words &&
    words.replace(/^[a-z](?=[a-z]| [a-z])/, (letter) => letter.toUpperCase()) + (/[.!?]$/.test(words) ? '' : '.')
  );
}

/** Schema of a module's constant, exported or that of the algorithm that is exported. */
function schemaNamed(exported, name) {
  if (exported[name] instanceof z.ZodType) return exported[name];
  return name === 'schema' ? ALGORITHMS.find((one) => Object.values(exported).includes(one))?.schema : undefined;
}

/** The algorithm that a function for code makes entries of. */
function entryOf(type, value) {
  if (type?.typeName?.text !== 'Entry') return undefined;
  return ALGORITHMS.find(({ name }) => name === value().algorithm);
}

function jsonOf(schema) {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
}
