import ts from "typescript"

// The small faults that are planted. Each is one change of the text, and compiles to JavaScript; types are not checked, as vitest
// does not check them.

const { SyntaxKind: Kind } = ts

/** Operators and what each becomes. */
const operators = new Map([
  [Kind.EqualsEqualsEqualsToken, "!=="],
  [Kind.ExclamationEqualsEqualsToken, "==="],
  [Kind.LessThanToken, "<="],
  [Kind.LessThanEqualsToken, "<"],
  [Kind.GreaterThanToken, ">="],
  [Kind.GreaterThanEqualsToken, ">"],
  [Kind.AmpersandAmpersandToken, "||"],
  [Kind.BarBarToken, "&&"],
  [Kind.PlusToken, "-"],
  [Kind.MinusToken, "+"],
  [Kind.AsteriskToken, "/"],
  [Kind.SlashToken, "*"]
])

/** Methods of arrays and strings, and what each becomes: another, or nothing at all. */
const methods = { some: "every", every: "some", filter: "", slice: "", trim: "", toLowerCase: "", toSorted: "" }

/** Steps of a pipe that the value goes through unchanged in type, so that they can be left out. */
const steps =
  /^Effect\.(tap|ensuring|on|retry|catch|timeout$|mapError|filterOrFail|uninterruptible|when|unless|orElse|locally)/

/** Calls for people who read logs and traces, which no test need notice. */
const noted = /^(yield\* )?Effect\.(log|annotate|withSpan|withLogSpan)/

const isText = (node) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)

/** Whether something is joined to a text, where minus would only be NaN. */
const joinsText = (node) =>
  isText(node.left) || isText(node.right) || (ts.isBinaryExpression(node.left) && joinsText(node.left))

const isReturned = (node) =>
  ts.isReturnStatement(node.parent) || ts.isArrowFunction(node.parent) || ts.isConditionalExpression(node.parent)

/** Gives the mutants of one node as `[node, replacement]`, or `[start, end, replacement]`. */
const ofNode = (node, text) => {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) {
    return ["true", "false"].map((value) => [node.expression, value])
  }
  if (ts.isConditionalExpression(node)) return ["true", "false"].map((value) => [node.condition, value])
  if (ts.isBinaryExpression(node)) {
    const { left, operatorToken, right } = node
    if (operatorToken.kind === Kind.QuestionQuestionToken) return [[node, `(${text(right)})`]]
    const other = operators.get(operatorToken.kind)
    return other === undefined || (operatorToken.kind === Kind.PlusToken && joinsText(node))
      ? []
      : [[node, `((${text(left)}) ${other} (${text(right)}))`]]
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) return [[node, text(node.operand)]]
  if (node.kind === Kind.TrueKeyword && !ts.isLiteralTypeNode(node.parent)) return [[node, "false"]]
  if (node.kind === Kind.FalseKeyword && !ts.isLiteralTypeNode(node.parent)) return [[node, "true"]]
  if (ts.isNumericLiteral(node)) return [[node, `(${text(node)} + 1)`]]
  if (ts.isStringLiteral(node) && ts.isCaseClause(node.parent)) return [[node, '""']]
  if (ts.isArrayLiteralExpression(node) && node.elements.length > 0) {
    const conditions = ts.isCallExpression(node.parent) && text(node.parent.expression) === "sql.and"
    if (conditions) return node.elements.map((element) => [element, "sql`true`"])
    return isReturned(node) ? [[node, "[]"]] : []
  }
  if (ts.isExpressionStatement(node) && !noted.test(text(node)) && !ts.isStringLiteral(node.expression)) {
    return [[node, ";"]]
  }
  if (ts.isTaggedTemplateExpression(node) && /^sql\b/.test(text(node.tag))) {
    return [...text(node).matchAll(/(?<=\s)and(?=\s)/g)].map(({ index }) => [
      node.getStart() + index,
      node.getStart() + index + 3,
      "or"
    ])
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return []
  const { expression: object, name } = node.expression
  if (name.text === "pipe") {
    return node.arguments.filter((step) => steps.test(text(step))).map((step) => [step, "(same) => same"])
  }
  const other = Object.hasOwn(methods, name.text) && !/^[A-Z]/.test(text(object)) ? methods[name.text] : undefined
  return other === undefined ? [] : [other === "" ? [node, text(object)] : [name, other]]
}

/** Gives all mutants of a file's text: where each is, what stood there, what stands there now, and the whole text with it. */
export const mutantsOf = (file, source) => {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const text = (node) => node.getText(tree)
  const found = []
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    for (const [first, second, third] of ofNode(node, text)) {
      const [start, end, replacement] =
        third === undefined ? [first.getStart(tree), first.end, second] : [first, second, third]
      const line = tree.getLineAndCharacterOfPosition(start).line + 1
      const mutated = source.slice(0, start) + replacement + source.slice(end)
      found.push({ file, line, from: source.slice(start, end), to: replacement, text: mutated })
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return found
}
