-- Runs the action on a picture in darktable's window, writes what it finds, and ends darktable.
local dt = require "darktable"
local script = dofile(os.getenv("BLORC_TEST_SCRIPT"))
local folder = os.getenv("BLORC_TEST_FOLDER")

local function write(text)
  local f = io.open(folder .. "/answer.txt", "w")
  f:write(text, "\n")
  f:close()
end

dt.control.dispatch(function()
  write("begun")
  dt.control.sleep(1000)
  local ok, problem = pcall(function()
    local image = dt.database.import(folder .. "/source.tif")
    image.rating, image.title, image.red = 4, "a title", true
    dt.tags.attach(dt.tags.create("places|here"), image)
    local result, failed = script.denoise({ image })
    if not result then
      write("failed: " .. failed)
      return
    end
    local tags = {}
    for _, tag in ipairs(dt.tags.get_tags(result)) do
      tags[#tags + 1] = tag.name
    end
    table.sort(tags)
    local one = script.denoise_as_one({ image, image })
    local raw = dt.database.import(folder .. "/raw.dng")
    raw.rating = 3
    dt.preferences.write("blorc_denoise", "noise", "string", "white") -- which does not count for raw files
    local denoised = assert(script.denoise_raw({ raw }))
    local _, refused = script.denoise_raw({ image })
    write(string.format("%s %s %d %s %s %s %s\n%s %d %s\n%s", one and one.filename or "none", result.filename, result.rating, result.title, tostring(result.red),
      tostring(result.group_leader.id == image.group_leader.id), table.concat(tags, ","),
      denoised.filename, denoised.rating, tostring(denoised.group_leader.id == raw.group_leader.id), refused))
  end)
  if not ok then
    write("error: " .. tostring(problem))
  end
  os.exit(0)
end)
