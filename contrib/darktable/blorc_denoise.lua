--[[
  Removes noise with the program blorc-denoise:

  - on export, where the module "blorc denoise" in the lighttable says so. The exported file is denoised before the
    storage gets it; its metadata is kept.
  - as the action "blorc denoise" in the module "actions on selection". Each selected picture is exported as a 16-bit TIFF with
    its edits, denoised beside the source as NAME-denoised.tif, imported, grouped with the source, and given its rating,
    labels, tags and texts.
  - as the action "blorc denoise raw": the files of the selected pictures, which are DNG, are denoised before they are developed, as
    NAME-denoised.dng. The rest is as above, but edits are not in the result.
  - as the action "blorc denoise shots as one": the selected pictures, shots of one scene, become one picture, seen as in the first of them.

  The program is found in PATH, unless the preference "blorc-denoise program" or the environment variable BLORC_DENOISE
  has its path.
]]

local dt = require "darktable"

local MODULE = "blorc_denoise"
local NOISES = { "found", "white", "camera", "photons" }
local QUALITIES = { "fast", "balanced", "best" }
local windows = dt.configuration.running_os == "windows"

-- darktable-cli has no lighttable. There the settings come from the preferences, and the export is always denoised.
local headless = not dt.gui

if not headless then -- darktable-cli would wait for ever
  dt.preferences.register(MODULE, "program", "string", "blorc-denoise program", "Path of the program; empty means that it is in PATH", "")
end

local function quote(text)
  if windows then
    return '"' .. text:gsub('"', "") .. '"'
  end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

local function read(name, kind, default)
  local value = dt.preferences.read(MODULE, name, kind)
  if value == nil or value == "" or value == 0 then
    return default
  end
  return value
end

-- Numbers are written with a point, whatever the language.
local function number(v)
  return (string.format("%.6g", v):gsub(",", "."))
end

local function settings()
  return {
    enabled = headless or dt.preferences.read(MODULE, "enabled", "bool"),
    noise = read("noise", "string", "found"),
    sigma = read("sigma", "float", 15),
    strength = read("strength", "float", 100),
    luma = read("luma", "float", 100),
    chroma = read("chroma", "float", 100),
    quality = read("quality", "string", "balanced"),
  }
end

local function flags(s)
  local f = " -q --overwrite always --quality " .. s.quality
  if s.noise == "white" then
    f = f .. " --sigma " .. number(s.sigma)
  elseif s.noise == "camera" then
    f = f .. " --noise camera"
  elseif s.noise == "photons" then
    f = f .. " --noise poisson"
  end
  return f .. " --strength " .. number(s.strength / 100) .. " --luma " .. number(s.luma / 100) .. " --chroma " .. number(s.chroma / 100)
end

local function exists(path)
  local f = io.open(path, "rb")
  if f then
    f:close()
  end
  return f ~= nil
end

local function content(path)
  local f = io.open(path, "r")
  local text = f and f:read("a") or ""
  if f then
    f:close()
  end
  return text
end

-- Runs the program on a file, or on several shots of one scene. Returns nil or what it said.
local function run(files, to)
  local messages, s = os.tmpname(), settings()
  if to:match("%.dng$") then
    s.noise = "found" -- the program takes that of the file
  end
  local program = read("program", "string", os.getenv("BLORC_DENOISE") or "blorc-denoise")
  local command = quote(program) .. flags(s) .. (#files > 1 and " --burst" or "")
  for _, from in ipairs(files) do
    command = command .. " " .. quote(from)
  end
  command = command .. " -o " .. quote(to) .. " 2> " .. quote(messages)
  if windows then
    command = '"' .. command .. '"' -- cmd.exe removes the outer pair
  end
  local ok, _, code = os.execute(command)
  local text = content(messages)
  os.remove(messages)
  if ok and exists(to) then
    return nil
  end
  if code == (windows and 9009 or 127) then
    return "the program " .. program .. " is not there. Install blorc-denoise, or give its path in preferences > lua options"
  end
  local _, last = text:find("blorc-denoise: " .. files[1] .. ": ", 1, true) -- darktable shows few words
  text = text:sub((last or 0) + 1):gsub("%s+$", "")
  return text ~= "" and text or program .. " failed"
end

local function report(text)
  dt.print_error(text)
  if not headless then
    dt.print(text)
  end
end

-- rename moves a file over another, also where the system refuses that.
local function rename(from, to)
  if windows then
    os.remove(to)
  end
  return os.rename(from, to)
end

local paused = false -- set while the action exports a picture, which is denoised afterwards

local function on_export(event, image, filename, format, storage)
  if paused or not settings().enabled then
    return
  end
  local extension = filename:match("%.([^.]+)$") or ""
  if not ({ tif = 1, tiff = 1, png = 1, jpg = 1, jpeg = 1 })[extension:lower()] then
    report("blorc denoise: " .. extension .. " files are not denoised")
    return
  end
  local out = filename:sub(1, -#extension - 2) .. "-blorc." .. extension
  local problem = run({ filename }, out)
  if not problem and not rename(out, filename) then
    problem = out .. " cannot be renamed"
  end
  if problem then
    os.remove(out)
    report("blorc denoise: " .. image.filename .. " is exported with its noise: " .. problem)
  end
end

local function beside(image, name)
  return image.path .. (windows and "\\" or "/") .. name
end

-- free_name returns a name beside the source that no file has.
local function free_name(image, extension)
  local base = beside(image, image.filename:match("^(.+)%.[^.]+$") or image.filename) .. "-denoised"
  local name, n = base .. extension, 1
  while exists(name) do
    n = n + 1
    name = base .. "-" .. n .. extension
  end
  return name
end

-- take_over gives the result what the user said of the source.
local function take_over(image, result)
  for _, field in ipairs { "rating", "title", "description", "creator", "publisher", "rights", "notes", "latitude", "longitude", "elevation",
    "red", "green", "blue", "yellow", "purple" } do
    pcall(function()
      if image[field] ~= nil then
        result[field] = image[field]
      end
    end)
  end
  for _, tag in ipairs(dt.tags.get_tags(image)) do
    if tag.name:sub(1, 9) ~= "darktable" then
      dt.tags.attach(tag, result)
    end
  end
end

-- export writes a picture to a file of its own and returns its name, or nil and a message.
local function export(image)
  local tmp = os.tmpname()
  os.remove(tmp)
  tmp = tmp .. ".tif"
  local format = dt.new_format("tiff")
  format.bpp = 16
  format.max_width, format.max_height = 0, 0
  paused = true
  local ok, failed = pcall(function() return format:write_image(image, tmp) end)
  paused = false
  if not ok or not exists(tmp) then
    os.remove(tmp)
    return nil, image.filename .. " cannot be exported: " .. tostring(failed)
  end
  return tmp
end

-- add imports a result and groups it with its source, unless there was a problem. It returns the result, or nil and a message.
local function add(image, name, problem)
  if problem then
    return nil, image.filename .. ": " .. problem
  end
  local result = dt.database.import(name)
  if not result then
    return nil, name .. " cannot be imported"
  end
  result:group_with(image.group_leader)
  take_over(image, result)
  return result
end

-- denoise makes a denoised copy of the first of some shots, with the help of the others, and returns it, or nil and a message.
local function denoise(shots)
  local image, files, problem = shots[1], {}, nil
  local name = free_name(image, ".tif")
  for _, shot in ipairs(shots) do
    local file, failed = export(shot)
    problem = problem or failed
    files[#files + 1] = file
  end
  problem = problem or run(files, name)
  for _, file in ipairs(files) do
    os.remove(file)
  end
  return add(image, name, problem)
end

-- denoise_raw makes a denoised copy of a raw file, and returns it, or nil and a message.
local function denoise_raw(shots)
  local image = shots[1]
  if not image.filename:lower():match("%.dng$") then
    return nil, image.filename .. ' is no DNG file: convert it to DNG first, or use the action "blorc denoise"'
  end
  local name = free_name(image, ".dng")
  return add(image, name, run({ beside(image, image.filename) }, name))
end

local function denoise_all(images, how)
  local job = dt.gui and dt.gui.create_job("blorc denoise", true)
  for i, image in ipairs(images) do
    local result, problem = how({ image })
    if problem then
      report("blorc denoise: " .. problem)
    end
    if job then
      job.percent = i / #images
    end
  end
  if job then
    job.valid = false
  end
end

local function denoise_as_one(images)
  if #images < 2 then
    report("blorc denoise: select several shots of one scene")
    return
  end
  local result, problem = denoise(images)
  if problem then
    report("blorc denoise: " .. problem)
  end
  return result
end

local function choice(name, label, values, default)
  local selected = 1
  for i, v in ipairs(values) do
    if v == read(name, "string", default) then
      selected = i
    end
  end
  return dt.new_widget("combobox") {
    label = label,
    selected = selected,
    changed_callback = function(self) dt.preferences.write(MODULE, name, "string", self.value) end,
    table.unpack(values),
  }
end

local function slider(name, label, least, most, default)
  local widget = dt.new_widget("slider") {
    label = label, hard_min = least, hard_max = most, soft_min = least, soft_max = most, digits = 1, step = 1,
    value = read(name, "float", default),
  }
  widget.reset_callback = function(self) self.value = default end
  return widget
end

local sliders = {}

-- Sliders have no callback in all versions of darktable, so they are read before they are used.
local function keep_sliders()
  for name, widget in pairs(sliders) do
    dt.preferences.write(MODULE, name, "float", math.max(widget.value, 0.001))
  end
end

local function panel()
  sliders = {
    sigma = slider("sigma", "sigma (0-255)", 0.5, 100, 15),
    strength = slider("strength", "strength (%)", 0, 100, 100),
    luma = slider("luma", "brightness (%)", 0, 100, 100),
    chroma = slider("chroma", "colours (%)", 0, 100, 100),
  }
  return dt.new_widget("box") {
    orientation = "vertical",
    dt.new_widget("check_button") {
      label = "denoise on export",
      value = dt.preferences.read(MODULE, "enabled", "bool"),
      clicked_callback = function(self) dt.preferences.write(MODULE, "enabled", "bool", self.value) end,
    },
    choice("noise", "noise", NOISES, "found"),
    sliders.sigma, sliders.strength, sliders.luma, sliders.chroma,
    choice("quality", "quality", QUALITIES, "balanced"),
  }
end

dt.register_event(MODULE, "intermediate-export-image", function(...)
  keep_sliders()
  on_export(...)
end)

if not headless then
  dt.gui.libs.image.register_action(MODULE, "blorc denoise", function(event, images)
    keep_sliders()
    denoise_all(images, denoise)
  end, "make denoised copies of the selected pictures, grouped with them")
  dt.gui.libs.image.register_action(MODULE .. "_raw", "blorc denoise raw", function(event, images)
    keep_sliders()
    denoise_all(images, denoise_raw)
  end, "make denoised copies of the selected raw files (DNG), grouped with them")
  dt.gui.libs.image.register_action(MODULE .. "_shots", "blorc denoise shots as one", function(event, images)
    keep_sliders()
    denoise_as_one(images)
  end, "make one denoised picture of the selected shots of one scene, grouped with the first")
  dt.register_lib(MODULE, "blorc denoise", true, false, { [dt.gui.views.lighttable] = { "DT_UI_CONTAINER_PANEL_RIGHT_CENTER", 100 } }, panel())
end

local script_data = { denoise = denoise, denoise_raw = denoise_raw, denoise_all = denoise_all, denoise_as_one = denoise_as_one }

-- For the script manager.
script_data.metadata = { name = "blorc denoise", purpose = "remove noise with the program blorc-denoise" }
script_data.destroy = function()
  dt.destroy_event(MODULE, "intermediate-export-image")
  if not headless then
    dt.gui.libs.image.destroy_action(MODULE)
    dt.gui.libs.image.destroy_action(MODULE .. "_raw")
    dt.gui.libs.image.destroy_action(MODULE .. "_shots")
    dt.gui.libs[MODULE].visible = false
  end
end
script_data.destroy_method = "hide"
script_data.restart = function() dt.gui.libs[MODULE].visible = true end
script_data.show = script_data.restart

return script_data
