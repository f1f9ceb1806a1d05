// How a tile looks with strength, luma, chroma and grain, as the program computes it from the picture before and after.

// The fourth byte of a tile after denoising is the fine part of the removed brightness: FINE_ZERO + FINE_STEPS * levels.
const FINE_ZERO = 128, FINE_STEPS = 4;

// blend fills out (RGBA). Colour says whether the picture has chroma.
export function blend(out, before, after, s, colour) {
  const luma = s.strength * s.luma;
  const chroma = colour ? s.strength * s.chroma : luma;
  const keepLuma = 1 - luma, keepChroma = 1 - chroma;
  const grain = s.grain * luma / FINE_STEPS;
  for (let i = 0; i < out.length; i += 4) {
    const dr = before[i] - after[i], dg = before[i + 1] - after[i + 1], db = before[i + 2] - after[i + 2];
    const l = (dr + dg + db) / 3;
    const base = (keepLuma - keepChroma) * l + grain * (after[i + 3] - FINE_ZERO);
    out[i] = after[i] + base + keepChroma * dr;
    out[i + 1] = after[i + 1] + base + keepChroma * dg;
    out[i + 2] = after[i + 2] + base + keepChroma * db;
    out[i + 3] = before[i + 3];
  }
}

// difference fills out with gray plus what was removed, times gain.
export function difference(out, before, blended, gain) {
  for (let i = 0; i < out.length; i += 4) {
    out[i] = 128 + gain * (before[i] - blended[i]);
    out[i + 1] = 128 + gain * (before[i + 1] - blended[i + 1]);
    out[i + 2] = 128 + gain * (before[i + 2] - blended[i + 2]);
    out[i + 3] = 255;
  }
}
