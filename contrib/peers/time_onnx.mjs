// Prints the seconds of the processor that a network takes: node time_onnx.mjs MODEL THREADS
// It needs onnxruntime-node. The network has one input, x, of the shape 1 x 5 x 512 x 512.
import * as ort from 'onnxruntime-node'

const [model, threads] = process.argv.slice(2)
const session = await ort.InferenceSession.create(model, {intraOpNumThreads: Number(threads), interOpNumThreads: 1})
const x = new ort.Tensor('float32', new Float32Array(5 * 512 * 512).map(() => Math.random()), [1, 5, 512, 512])
await session.run({x}) // takes the memory
const before = process.cpuUsage()
const runs = 3
for (let i = 0; i < runs; i++) await session.run({x})
const used = process.cpuUsage(before)
console.log((used.user + used.system) / 1e6 / runs)
