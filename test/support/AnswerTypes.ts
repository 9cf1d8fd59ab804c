import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  types: []
}

/** The file that the answers are checked in; it is never written. */
const fileName = join(dirname(fileURLToPath(import.meta.url)), "answers.ts")

/** Declarations of the language and of libraries, which all answers are checked against. */
const declarations = new Map<string, ts.SourceFile | undefined>()

/** An answer, and the type that a client library gives it. */
export interface Claim {
  readonly type: string
  readonly answer: unknown
}

/**
 * The compiler's errors for answers: members that a library's types require and the answer lacks, unknown members, and
 * members of another type. `imports`: where the types come from.
 */
export const misfits = (imports: string, claims: ReadonlyArray<Claim>): ReadonlyArray<string> => {
  const lines = claims.map(({ answer, type }, at) => `export const answer${at}: ${type} = ${JSON.stringify(answer)}`)
  const source = ts.createSourceFile(fileName, [imports, ...lines].join("\n"), ts.ScriptTarget.ES2023)
  const host = ts.createCompilerHost(options)
  const program = ts.createProgram([fileName], options, {
    ...host,
    fileExists: (name) => name === fileName || host.fileExists(name),
    getSourceFile: (name, ...rest) => {
      if (name === fileName) return source
      if (!declarations.has(name)) declarations.set(name, host.getSourceFile(name, ...rest))
      return declarations.get(name)
    }
  })
  return program.getSemanticDiagnostics(source).map(({ messageText, start = 0 }) => {
    const { type } = claims[source.getLineAndCharacterOfPosition(start).line - 1] ?? { type: imports }
    return `${type}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`
  })
}
